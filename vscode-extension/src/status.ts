// This file defines what the status bar says of the server while a CUDA file is in front.

import * as vscode from 'vscode';
import { cudaFiles } from './files';
import type { Server } from './server';

export type ServerState =
  | { kind: 'starting' }
  | { kind: 'running'; server: Server }
  | { kind: 'failed'; reason: string };

export class Status implements vscode.Disposable {
  private readonly item = vscode.languages.createLanguageStatusItem('warplint.server', cudaFiles);

  constructor() {
    this.item.name = 'warplint';
    this.show({ kind: 'starting' });
  }

  show(state: ServerState): void {
    this.item.busy = state.kind === 'starting';
    this.item.severity =
      state.kind === 'failed' ? vscode.LanguageStatusSeverity.Error : vscode.LanguageStatusSeverity.Information;
    this.item.text = `warplint: ${state.kind}`;
    this.item.detail = detail(state);
    this.item.command =
      state.kind === 'running'
        ? { command: 'warplint.showOutput', title: 'Show Output' }
        : { command: 'warplint.restartServer', title: 'Restart Server' };
  }

  dispose(): void {
    this.item.dispose();
  }
}

function detail(state: ServerState): string | undefined {
  switch (state.kind) {
    case 'starting':
      return undefined;
    case 'running':
      return state.server.version;
    case 'failed':
      return state.reason;
  }
}
