// This file defines the settings of the extension: where they are read, and what the server gets.
// The server has the list of them; package.json is held to it by a test of the server.

import * as os from 'node:os';
import * as vscode from 'vscode';

// What the extension itself reads; everything else that package.json declares goes to the server.
const own = ['server.path', 'trace.server'];

/** The program that the user names, or undefined for the one that comes with the extension. */
export function serverPath(): string | undefined {
  const named = substitute(vscode.workspace.getConfiguration('warplint').get('server.path', '').trim());
  return named === '' ? undefined : named;
}

interface Manifest {
  contributes: { configuration: { properties: Record<string, unknown> } };
}

/** What the server knows of the settings, and whether it may run what is in the workspace. */
export function serverSettings(extension: vscode.ExtensionContext): Record<string, unknown> {
  const { contributes } = extension.extension.packageJSON as Manifest;
  const settings = vscode.workspace.getConfiguration('warplint');
  const known = Object.keys(contributes.configuration.properties).map((name) => name.slice('warplint.'.length));
  const entries = known.filter((name) => !own.includes(name)).map((name) => [name, resolved(settings.get(name))]);
  return { ...(Object.fromEntries(entries) as Record<string, unknown>), trusted: vscode.workspace.isTrusted };
}

/** Whether the messages between editor and server are to be logged; the client reads how much. */
export function traces(): boolean {
  return vscode.workspace.getConfiguration('warplint').get<string>('trace.server') !== 'off';
}

/** Calls back when a setting got another value. */
export function onChange(setting: string, changed: () => void): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration(setting)) {
      changed();
    }
  });
}

function resolved(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(resolved);
  }
  return typeof value === 'string' ? substitute(value) : value;
}

/** Replaces the variables that the settings' descriptions name; others stay as they are. */
function substitute(text: string): string {
  return text.replace(/\$\{([^}]*)\}/g, (whole, name: string) => {
    if (name === 'workspaceFolder') {
      return vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? whole;
    }
    if (name === 'userHome') {
      return os.homedir();
    }
    return name.startsWith('env:') ? (process.env[name.slice('env:'.length)] ?? '') : whole;
  });
}
