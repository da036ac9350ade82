// This file defines the commands of the command palette; each one's title is in package.json.

import * as vscode from 'vscode';
import type { Warplint } from './extension';
import { isCuda } from './files';
import { openRulePage, openRulePageCommand } from './rulepage';

export function registerCommands(warplint: Warplint): vscode.Disposable {
  const commands = {
    'warplint.restartServer': () => warplint.restart(),
    'warplint.showOutput': () => {
      warplint.output.show();
    },
    [openRulePageCommand]: (rule?: unknown) =>
      openRulePage(warplint.extension, typeof rule === 'string' ? rule : undefined),
    'warplint.printVersion': () => printVersion(warplint),
    'warplint.simulateFile': () =>
      onFile(warplint, (uri) => vscode.commands.executeCommand('warplint.simulate', { uri })),
    'warplint.chooseKernel': () => onFile(warplint, chooseKernel),
    'warplint.importReport': () => importReport(warplint),
    'warplint.showRuns': () => {
      warplint.panel.show(false);
    },
    'warplint.clearRuns': () => warplint.runs.forget(),
  };
  return vscode.Disposable.from(
    ...Object.entries(commands).map(([name, run]) => vscode.commands.registerCommand(name, run)),
  );
}

/** Calls back with the URI of the CUDA file in front. */
async function onFile(warplint: Warplint, run: (uri: string) => Thenable<unknown>): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (!document || !isCuda(document)) {
    void vscode.window.showInformationMessage('Open a CUDA file first.');
  } else if (await warplint.ready()) {
    await run(document.uri.toString());
  }
}

/** Simulates the kernel that the user chooses among those with a lens. */
async function chooseKernel(uri: string): Promise<void> {
  const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
    'vscode.executeCodeLensProvider',
    vscode.Uri.parse(uri),
  );
  const kernels = lenses.flatMap(({ command }) =>
    command?.command === 'warplint.simulateKernel' ? [(command.arguments?.[0] as { kernel: string }).kernel] : [],
  );
  const kernel = await vscode.window.showQuickPick(kernels, { title: 'Simulate a kernel' });
  if (kernel !== undefined) {
    await vscode.commands.executeCommand('warplint.simulateKernel', { uri, kernel });
  }
}

async function importReport(warplint: Warplint): Promise<void> {
  const chosen = await vscode.window.showOpenDialog({ title: 'Report of compute-sanitizer racecheck (text or XML)' });
  if (chosen?.[0] && (await warplint.ready())) {
    await vscode.commands.executeCommand('warplint.import', { uri: chosen[0].toString() });
  }
}

async function printVersion(warplint: Warplint): Promise<void> {
  await warplint.start();
  const { version } = warplint.extension.extension.packageJSON as { version: string };
  const server = warplint.session?.server;
  const text = `extension ${version}; ${server ? `server ${server.version}, ${server.path}` : 'no server'}`;
  warplint.output.info(text);
  const copy = 'Copy';
  if ((await vscode.window.showInformationMessage(text, copy)) === copy) {
    await vscode.env.clipboard.writeText(text);
  }
}
