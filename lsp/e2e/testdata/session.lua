-- What a user of Neovim does: opens a file, sees a diagnostic, hovers over it, takes the quick
-- fix, and sees the diagnostic go away. It uses the editor's own commands, not bare requests,
-- and writes what it saw as JSON to the file that $REPORT names.

local report = { steps = {} }

local function finish()
  local out = assert(io.open(vim.env.REPORT, 'w'))
  out:write(vim.json and vim.json.encode(report) or vim.fn.json_encode(report))
  out:close()
  vim.cmd('qall!')
end

-- await waits for a condition; the tests' own time limit is far above this one.
local function await(what, condition)
  if not vim.wait(60000, condition, 10) then
    report.failed = 'waited in vain for ' .. what
    finish()
  end
  table.insert(report.steps, what)
end

local function diagnostics()
  local all = vim.diagnostic.get(0)
  for i, d in ipairs(all) do
    all[i] = { line = d.lnum + 1, code = d.code, message = d.message, source = d.source, severity = d.severity }
  end
  return all
end

-- races are what is so now; what a run showed before the last change is a hint.
local function races()
  return vim.diagnostic.get(0, { severity = { min = vim.diagnostic.severity.WARN } })
end

local ok, err = xpcall(function()
  vim.bo.filetype = 'cuda'
  local client = vim.lsp.start_client({
    name = 'warplint',
    cmd = { vim.env.WARPLINT, 'lsp' },
    root_dir = vim.fn.getcwd(),
    init_options = { trusted = true },
  })
  assert(client, 'the server does not start')
  vim.lsp.buf_attach_client(0, client)
  await('a diagnostic', function() return #vim.diagnostic.get(0) > 0 end)
  report.diagnostics = diagnostics()

  local first = vim.diagnostic.get(0)[1]
  vim.api.nvim_win_set_cursor(0, { first.lnum + 1, first.col })
  local before = #vim.api.nvim_list_wins()
  vim.lsp.buf.hover()
  await('a hover', function() return #vim.api.nvim_list_wins() > before end)
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(win).relative ~= '' then
      report.hover = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false), '\n')
      vim.api.nvim_win_close(win, true)
    end
  end

  -- The lens above main runs the program; what the run shows comes as diagnostics.
  vim.lsp.codelens.refresh()
  await('code lenses', function() return #vim.lsp.codelens.get(0) > 0 end)
  report.lenses = {}
  local program
  for _, lens in ipairs(vim.lsp.codelens.get(0)) do
    table.insert(report.lenses, lens.command.title)
    if lens.command.title == 'Simulate this program' then program = lens.command end
  end
  vim.lsp.buf.execute_command(program)
  await('what the run has shown', function()
    for _, d in ipairs(vim.diagnostic.get(0)) do
      if d.message:find('on the simulator', 1, true) then return true end
    end
    return false
  end)
  report.simulated = diagnostics()

  -- Neovim lets plugins draw the menu of actions; this one picks by title.
  report.actions = {}
  vim.ui.select = function(items, options, choose)
    local pick
    for _, item in ipairs(items) do
      local label = options.format_item(item)
      table.insert(report.actions, label)
      if label:find(vim.env.ACTION, 1, true) then pick = pick or item end
    end
    choose(pick)
  end
  vim.lsp.buf.code_action()
  await('no race', function() return #report.actions > 0 and #races() == 0 end)
  report.text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')

  vim.cmd('undo')
  await('the diagnostic after undo', function() return #races() > 0 end)
  report.again = diagnostics()
  vim.lsp.stop_client(client)
  await('the end of the server', function() return vim.lsp.client_is_stopped(client) end)
end, debug.traceback)
if not ok then report.failed = err end
finish()
