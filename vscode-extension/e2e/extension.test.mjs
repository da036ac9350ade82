// This file defines the story that the extension is for, played in the real VS Code: a race in an
// example is underlined, explained, and mended; and what a user does about settings and the server.
import assert from 'node:assert/strict';
import { access, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Editor, ended } from './editor.mjs';
import { Workbench } from './workbench.mjs';

const extension = path.resolve(import.meta.dirname, '..');
const examples = path.resolve(extension, '..', 'examples');
const results = path.join(import.meta.dirname, 'results');

// The example of the story, and what a reader of it would say is wrong.
const example = 'stencil.cu';
const rule = 'missing-syncthreads';
const fix = 'Insert __syncthreads()';

// A race only where RACY is defined.
const conditional = `#include "racy.h"
__global__ void shift(float *out, const float *in) {
  __shared__ float tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
#ifndef RACY
  __syncthreads();
#endif
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

void launch(float *out, const float *in) {
  shift<<<1, 64>>>(out, in);
}
`;

/** @type {string} */
let temporary;
/** @type {string} a copy of the examples, with a file of our own */
let folder;
/** @type {Editor} */
let editor;
/** @type {Workbench} */
let workbench;

before(async () => {
  await rm(results, { recursive: true, force: true });
  await mkdir(results);
  temporary = await mkdtemp(path.join(os.tmpdir(), 'warplint-e2e-'));
  folder = path.join(temporary, 'examples');
  await cp(examples, folder, { recursive: true });
  await writeFile(path.join(folder, 'conditional.cu'), conditional);
  await writeFile(path.join(folder, 'racy.h'), '\n');
});

after(() => rm(temporary, { recursive: true, force: true }));

/** Opens the folder before a group of stories, and closes it behind them. @param {boolean} trusted */
function inEditor(trusted) {
  before(async () => {
    editor = await Editor.start({ vsix: path.join(extension, 'warplint.vsix'), folder, trusted });
    workbench = new Workbench(editor.page);
  });
  after(() => editor.close());
}

/** A test that leaves a picture of what it saw last when it fails.
 * @param {string} name @param {() => Promise<void>} body */
function story(name, body) {
  it(name, async () => {
    try {
      await body();
    } catch (error) {
      await editor.page.screenshot({ path: path.join(results, `failed: ${name}.png`) });
      throw error;
    }
  });
}

describe('warplint in VS Code', { timeout: 300_000 }, () => {
  inEditor(true);

  story('starts the bundled server when a CUDA file is opened', async () => {
    await workbench.open(example);
    await workbench.status('warplint: running, warplint ');
  });

  story('underlines a race, explains it, and mends it', async () => {
    await workbench.squiggles.first().waitFor();
    await workbench.scrollTo('__global__');
    const hover = await workbench.hoverFirstSquiggle(rule);
    assert.match(await hover.innerText(), /thread/);
    await workbench.picture(hover, path.join(results, 'squiggle.png'));

    await workbench.openProblems();
    await workbench.problems.filter({ hasText: rule }).first().waitFor();

    await workbench.chooseFix(fix);
    await workbench.clean();

    await editor.page.keyboard.press('Control+Z'); // the fix is one step of the editor's history
    await workbench.squiggles.first().waitFor();
  });

  story('simulates a program, shows the race between two threads, and is clean when it is mended', async () => {
    const { page } = editor;
    await page.setViewportSize({ width: 1600, height: 1200 });
    await workbench.command('View: Hide Panel');
    await page.keyboard.press('Control+Home'); // the kernel's lens comes into view
    await workbench.command('warplint: Simulate This Program');
    const races = workbench.panel.getByRole('listbox', { name: 'Races' });
    const race = races.getByRole('option').filter({ hasText: rule }).first();
    await race.waitFor();
    await workbench.lens('races? on the simulator');
    await page.locator('.glyph-margin-widgets .cgmr').first().waitFor(); // the sign beside the line

    // By keyboard alone: from the list to the race, to its time line, and to its line in the text.
    await race.focus();
    await page.keyboard.press('Enter');
    const timeline = workbench.panel.getByRole('group', { name: 'Time line of two threads' });
    await timeline.waitFor();
    assert.equal(await timeline.locator('.step.race').count(), 2);
    await workbench.pictureWindow(path.join(results, 'runtime.png'));
    const step = timeline.locator('.step.race').first();
    const [, line] = /line (\d+)/.exec((await step.getAttribute('aria-label')) ?? '') ?? [];
    await step.focus();
    await page.keyboard.press('Enter');
    await workbench.cursorAt(Number(line));

    await workbench.chooseFix(fix);
    await workbench.command('warplint: Simulate This Program');
    await workbench.panel.getByRole('status').filter({ hasText: 'no race' }).waitFor();
    await workbench.lens('none on the simulator');
    await workbench.openProblems();
    await workbench.clean();
    await workbench.click(page.locator('.view-line').first()); // the focus, for undo
    await editor.page.keyboard.press('Control+Z');
    await workbench.squiggles.first().waitFor();
    await workbench.closePanel();
    await page.setViewportSize(editor.size);
  });

  story('opens the page of the rule without a network', async () => {
    await workbench.command('warplint: Open Rule Page');
    await editor.page.locator('.tab.active', { hasText: `Preview ${rule}` }).waitFor();
    const page = editor.page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame');
    await page.getByRole('heading', { name: rule }).first().waitFor();
    await workbench.command('View: Close Editor');
  });

  story('brings the panel back as it was, and puts a run in front that began while it was hidden', async () => {
    const { page } = editor;
    await page.setViewportSize({ width: 1600, height: 1200 });
    await workbench.command('View: Hide Panel');
    await workbench.command('warplint: Simulate This Program');
    const races = workbench.panel.getByRole('listbox', { name: 'Races' });
    const timeline = workbench.panel.getByRole('group', { name: 'Time line of two threads' });
    await races.getByRole('option').first().click();
    await timeline.waitFor();
    await workbench.open('count.cu'); // in front of the panel, which has the focus
    await page.locator('.tab', { hasText: 'warplint runs' }).click();
    await timeline.waitFor();
    await page.locator('.tab', { hasText: 'count.cu' }).click();
    await workbench.command('warplint: Simulate This Program');
    await workbench.panel.locator('.runs [aria-selected=true]', { hasText: /done.*count\.cu/ }).waitFor();
    await workbench.command('warplint: Forget Runs');
    await workbench.panel.getByRole('status').filter({ hasText: 'no runs yet' }).waitFor();
    await workbench.closePanel();
    await page.locator('.tab', { hasText: 'count.cu' }).hover();
    await page.locator('.tab', { hasText: 'count.cu' }).locator('.codicon-close').click();
    await page.locator('.tab', { hasText: 'count.cu' }).waitFor({ state: 'detached' });
    await workbench.squiggles.first().waitFor();
    await page.setViewportSize(editor.size);
  });

  story('gives the settings to the server', async () => {
    await workbench.open('conditional.cu');
    await editor.set({ 'warplint.defines': ['RACY'] });
    await workbench.squiggles.first().waitFor();
    await editor.set({});
    await workbench.squiggles.first().waitFor({ state: 'detached' });
  });

  story('checks with a header as it is typed', async () => {
    await workbench.open('racy.h');
    await editor.page.keyboard.type('#define RACY');
    await workbench.open('conditional.cu');
    await workbench.squiggles.first().waitFor();
  });

  story('traces the messages when told to', async () => {
    await workbench.command('warplint: Show Output');
    await editor.set({ 'warplint.trace.server': 'messages' });
    // The first message of a trace is the one that asks the server for its own.
    await editor.page.locator('.output-view .view-line', { hasText: '$/setTrace' }).first().waitFor();
    await editor.set({});
  });

  story('says why a server cannot be started, and goes on when the setting is right again', async () => {
    await workbench.open(example);
    await workbench.squiggles.first().waitFor();
    await editor.set({ 'warplint.server.path': '${workspaceFolder}/absent' });
    const said = await workbench.dismiss('warplint could not start');
    assert.ok(said.includes(`warplint.server.path names, ${folder}/absent, does not exist.`), said);
    await workbench.status('warplint: failed');
    await workbench.squiggles.first().waitFor({ state: 'detached' });

    await editor.set({ 'warplint.server.path': 'echo' }); // found in PATH
    assert.match(await workbench.dismiss('warplint could not start'), /names, echo, is another program/);

    const silent = path.join(temporary, 'silent'); // knows its version, but ends when it is to serve
    await writeFile(silent, '#!/bin/sh\necho warplint 0\n', { mode: 0o755 });
    await editor.set({ 'warplint.server.path': silent });
    assert.match(await workbench.dismiss('warplint could not start'), /silent, did not start/);

    await editor.set({});
    await workbench.status('warplint: running');
    await workbench.squiggles.first().waitFor();
  });

  story('replaces the server on request, and leaves none behind', async () => {
    const [old, ...others] = await editor.processes('bin/warplint');
    assert.deepEqual(others, []);
    await workbench.command('warplint: Restart Server');
    await ended(old);
    await workbench.status('warplint: running');
    await workbench.squiggles.first().waitFor();
    assert.equal((await editor.running('bin/warplint')).length, 1); // what the editor shows may be from before
  });

  story('starts a server again that crashed', async () => {
    const [old] = await editor.processes('bin/warplint');
    process.kill(old, 'SIGKILL');
    await ended(old);
    await workbench.status('warplint: running');
    await workbench.squiggles.first().waitFor();
  });

  story('prints the versions', async () => {
    await workbench.command('warplint: Print Version');
    assert.match(await workbench.dismiss('extension'), /extension \d+\.\d+\.\d+; server warplint \d.*bin\/warplint/);
  });
});

describe('warplint in a folder that is not trusted', { timeout: 120_000 }, () => {
  inEditor(false);

  story("checks kernels, in files that are called C++, too, but not with the folder's own programs", async () => {
    const trap = path.join(temporary, 'trap');
    const ran = path.join(temporary, 'ran');
    await writeFile(trap, `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
    await editor.set({ 'warplint.server.path': trap, 'warplint.z3': trap, 'files.associations': { '*.cu': 'cpp' } });
    await workbench.open(example);
    await workbench.squiggles.first().waitFor();
    await workbench.command('warplint: Print Version');
    assert.ok((await workbench.dismiss('extension')).includes(editor.home));
    await assert.rejects(access(ran), { code: 'ENOENT' });
    await workbench.lens('1 race');
    assert.equal(await editor.page.locator('.codelens-decoration', { hasText: 'Simulate' }).count(), 0);
  });
});
