// This file defines the commands of the command palette; each one's title is in package.json.

import * as vscode from 'vscode';
import type { Warplint } from './extension';
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
  };
  return vscode.Disposable.from(
    ...Object.entries(commands).map(([name, run]) => vscode.commands.registerCommand(name, run)),
  );
}

async function printVersion(warplint: Warplint): Promise<void> {
  const { version } = warplint.extension.extension.packageJSON as { version: string };
  const server = warplint.session?.server;
  const text = `extension ${version}; ${server ? `server ${server.version}, ${server.path}` : 'no server'}`;
  warplint.output.info(text);
  const copy = 'Copy';
  if ((await vscode.window.showInformationMessage(text, copy)) === copy) {
    await vscode.env.clipboard.writeText(text);
  }
}
