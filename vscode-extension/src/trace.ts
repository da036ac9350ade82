// This file defines the trace of the messages between editor and server. The client writes one only
// to a channel whose log level is "trace"; the channel made here lets the setting alone decide.

import * as vscode from 'vscode';
import { onChange, traces } from './config';

export class Trace implements vscode.Disposable {
  readonly channel: vscode.LogOutputChannel;
  private readonly levels = new vscode.EventEmitter<vscode.LogLevel>();
  private readonly listener = onChange('warplint.trace.server', () => {
    this.levels.fire(level());
  });

  /** Traces into a channel that the trace shares with others. */
  constructor(output: vscode.LogOutputChannel) {
    this.channel = Object.create(output, {
      logLevel: { get: level },
      onDidChangeLogLevel: { value: this.levels.event },
      trace: {
        value: (message: string) => {
          output.info(message);
        },
      },
    }) as vscode.LogOutputChannel;
  }

  dispose(): void {
    this.listener.dispose();
    this.levels.dispose();
  }
}

function level(): vscode.LogLevel {
  return traces() ? vscode.LogLevel.Trace : vscode.LogLevel.Off;
}
