// This file defines the real VS Code that the tests drive: code-server as scripts/install-vscode.sh
// leaves it, with the packed extension in an extensions folder of its own, and a browser before it.
// Everything lives in a temporary folder, and all processes end with it.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';

const repository = path.resolve(import.meta.dirname, '..', '..');
const cache = process.env.WARPLINT_CACHE ?? path.join(repository, '.cache');
const codeServer = path.join(cache, 'code-server-4.100.3', 'node_modules', 'code-server', 'out', 'node', 'entry.js');

/** How long one condition may take, in milliseconds: a loaded machine is slow to start an editor. */
export const patience = 45_000;

// What would move, pop up or hide a part of the window by itself is off.
const userSettings = {
  'chat.commandCenter.enabled': false,
  'editor.minimap.enabled': false,
  'editor.cursorBlinking': 'solid',
  'editor.fontSize': 14,
  'editor.hover.above': false,
  'editor.lightbulb.enabled': 'on',
  'editor.stickyScroll.enabled': false,
  'extensions.ignoreRecommendations': true,
  'git.enabled': false,
  'search.exclude': { '**': true },
  'security.workspace.trust.startupPrompt': 'never', // a folder that is not trusted opens restricted
  'window.autoDetectColorScheme': false,
  'workbench.colorTheme': 'Default Dark Modern',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
};

/** @typedef {import('playwright-core').Page} Page */

export class Editor {
  /** @param {Page} page @param {string} home @param {string} folder @param {() => Promise<void>} close */
  constructor(page, home, folder, close) {
    this.page = page;
    this.home = home;
    this.folder = folder;
    /** Ends the browser and the editor, and removes their folder. */
    this.close = close;
  }

  /** Opens a folder in an editor that has only the given extension.
   * @param {{ vsix: string, folder: string, trusted?: boolean }} options */
  static async start({ vsix, folder, trusted = true }) {
    await access(codeServer).catch(() => {
      throw new Error('VS Code is not installed: run scripts/install-vscode.sh');
    });
    const home = await mkdtemp(path.join(os.tmpdir(), 'warplint-e2e-'));
    /** @type {(() => Promise<unknown>)[]} */
    const undo = [() => rm(home, { recursive: true, force: true, maxRetries: 5 })];
    const close = async () => {
      for (const step of undo.splice(0).reverse()) await step();
    };
    try {
      await writeSettings(path.join(home, 'data', 'User'), userSettings);
      await runCodeServer(home, '--install-extension', vsix);
      const server = startCodeServer(home, trusted ? ['--disable-workspace-trust'] : []);
      undo.push(server.stop);
      const browser = await chromium.launch({
        executablePath: process.env.WARPLINT_CHROMIUM ?? '/usr/bin/chromium',
        args: [
          '--no-sandbox',
          '--disable-gpu',
          '--disable-quic',
          '--no-first-run',
          '--disable-background-networking',
          '--disable-component-update',
          '--disable-sync',
        ],
      });
      undo.push(() => browser.close());
      const page = await browser.newPage({ viewport: { width: 1200, height: 2100 }, deviceScaleFactor: 1.5 });
      page.setDefaultTimeout(patience);
      await page.goto(`${await server.address}/?folder=${encodeURIComponent(folder)}`);
      await page.locator('.monaco-workbench .statusbar').waitFor();
      return new Editor(page, home, folder, close);
    } catch (error) {
      await close();
      throw error;
    }
  }

  /** The window's size when the editor starts. */
  size = { width: 1200, height: 2100 };

  /** Makes these the settings of the open folder, as an edit of its settings.json does.
   * @param {Record<string, unknown>} settings */
  async set(settings) {
    await writeSettings(path.join(this.folder, '.vscode'), settings);
  }

  /** Waits until a program that was installed with the extension runs, and returns the ids of its processes.
   * @param {string} program the end of its path */
  async running(program) {
    const deadline = Date.now() + patience;
    for (;;) {
      const found = await this.processes(program);
      if (found.length > 0) return found;
      if (Date.now() > deadline) throw new Error(`${program} does not run`);
      await delay(20);
    }
  }

  /** The ids of the processes whose program was installed with the extension.
   * @param {string} program the end of its path */
  async processes(program) {
    /** @type {{ id: number, parent: number }[]} */
    const found = [];
    for (const id of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
      // It may have ended since.
      const [command] = (await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')).split('\0');
      const status = await readFile(`/proc/${id}/status`, 'utf8').catch(() => '');
      if (command.startsWith(this.home) && command.endsWith(program)) found.push({ id: Number(id), parent: Number(/^PPid:\s*(\d+)/m.exec(status)?.[1]) });
    }
    // A process that starts another program is two of its own for a moment.
    return found.filter((one) => !found.some((other) => other.id === one.parent)).map((one) => one.id);
  }
}

/** Waits until a process is gone. @param {number} id */
export async function ended(id) {
  const deadline = Date.now() + patience;
  while (await access(`/proc/${id}`).then(() => true, () => false)) {
    if (Date.now() > deadline) throw new Error(`process ${id} still runs`);
    await delay(20);
  }
}

/** @param {string} folder @param {Record<string, unknown>} settings */
async function writeSettings(folder, settings) {
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'settings.json'), JSON.stringify(settings));
}

/** @param {string} home */
function folders(home) {
  return [
    ...['--config', path.join(home, 'config.yaml')],
    ...['--user-data-dir', path.join(home, 'data')],
    ...['--extensions-dir', path.join(home, 'extensions')],
  ];
}

// No gallery: the editor must not look for anything in the network.
const environment = {
  ...process.env,
  EXTENSIONS_GALLERY: '{"serviceUrl": ""}',
  // What an editor around the tests, or a host, would say to its own code-server.
  PORT: undefined,
  VSCODE_IPC_HOOK_CLI: undefined,
  VSCODE_PROXY_URI: undefined,
};

/** @param {string} home @param {string[]} args */
async function runCodeServer(home, ...args) {
  await promisify(execFile)(process.execPath, [codeServer, ...folders(home), ...args], { env: environment });
}

/** Starts the editor on a free port. @param {string} home @param {string[]} more */
function startCodeServer(home, more) {
  const flags = ['--auth', 'none', '--bind-addr', '127.0.0.1:0', '--disable-telemetry', '--disable-update-check'];
  const child = spawn(process.execPath, [codeServer, ...folders(home), ...flags, ...more], {
    env: environment,
    detached: true, // a process group, so that its children end with it
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kill = () => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      process.kill(-child.pid, 'SIGKILL');
    }
  };
  process.once('exit', kill);
  const exited = once(child, 'exit');
  /** @type {string[]} */
  const log = [];
  /** @type {Promise<string>} */
  const address = new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface(stream).on('line', (line) => {
        log.push(line);
        const found = /HTTP server listening on (http:\S+)/.exec(line);
        if (found) resolve(found[1].replace(/\/$/, ''));
      });
    }
    void exited.then(() => { reject(new Error(`code-server ended:\n${log.join('\n')}`)); });
  });
  const stop = async () => {
    address.catch(() => undefined);
    kill();
    await exited;
    process.off('exit', kill);
  };
  return { address: address, stop };
}
