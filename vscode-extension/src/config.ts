// This file defines the settings of the extension: where they are read, and what the server gets.

import * as os from 'node:os';
import * as vscode from 'vscode';

/** What the server knows of the settings; the names are the same in every editor. */
export interface ServerSettings {
  defines: string[]; // NAME or NAME=VALUE
  includeDirs: string[]; // a relative one starts at the workspace folder of the file
  arch: string; // such as sm_80
  grid: string; // X, X,Y or X,Y,Z; empty for any
  block: string;
}

/** The program that the user names, or undefined for the one that comes with the extension. */
export function serverPath(): string | undefined {
  const named = substitute(vscode.workspace.getConfiguration('warplint').get('server.path', '').trim());
  return named === '' ? undefined : named;
}

export function serverSettings(): ServerSettings {
  const settings = vscode.workspace.getConfiguration('warplint');
  return {
    defines: settings.get('defines', []),
    includeDirs: settings.get<string[]>('includeDirs', []).map(substitute),
    arch: settings.get('arch', ''),
    grid: settings.get('grid', ''),
    block: settings.get('block', ''),
  };
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

