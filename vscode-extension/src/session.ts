// This file defines a session: one run of the server with the client that talks to it. It is never
// started again; whoever wants another server disposes of it and makes a new one.

import * as vscode from 'vscode';
import {
  DidChangeConfigurationNotification,
  LanguageClient,
  RevealOutputChannelOn,
  State,
  type ServerCapabilities,
  type StaticFeature,
} from 'vscode-languageclient/node';
import { serverSettings } from './config';
import { openRulePageCommand } from './rulepage';
import type { Server } from './server';
import type { Status } from './status';

const stopWithin = 2_000; // milliseconds until a server that does not stop is killed

export class Session {
  private constructor(
    readonly server: Server,
    private readonly client: LanguageClient,
  ) {}

  /** Starts the server; rejects if the two sides cannot agree to talk. */
  static async start(server: Server, output: vscode.LogOutputChannel, status: Status): Promise<Session> {
    const client = new LanguageClient(
      'warplint', // also the prefix of the setting trace.server
      'warplint',
      { command: server.path, args: ['lsp'] },
      {
        documentSelector: [
          { scheme: 'file', language: 'cuda-cpp' },
          { scheme: 'untitled', language: 'cuda-cpp' },
        ],
        initializationOptions: serverSettings(),
        // The server asks for its settings after each change; the answer has the variables replaced.
        middleware: { workspace: { configuration: ({ items }) => items.map(() => serverSettings()) } },
        outputChannel: output,
        traceOutputChannel: output,
        revealOutputChannelOn: RevealOutputChannelOn.Never,
      },
    );
    client.registerFeature(ownCommands);
    // The client starts a crashed server again, a few times; the status follows it.
    client.onDidChangeState(({ newState }) => {
      switch (newState) {
        case State.Starting:
          status.show({ kind: 'starting' });
          break;
        case State.Running:
          status.show({ kind: 'running', server });
          break;
        case State.Stopped:
          status.show({ kind: 'stopped' });
          break;
      }
    });
    await client.start();
    return new Session(server, client);
  }

  async sendSettings(): Promise<void> {
    await this.client.sendNotification(DidChangeConfigurationNotification.type, {
      settings: { warplint: serverSettings() },
    });
  }

  async dispose(): Promise<void> {
    await this.client.dispose(stopWithin);
  }
}

// The client gives every command of the server to VS Code, which takes a name only once.
const ownCommands: StaticFeature = {
  preInitialize: ({ executeCommandProvider: provider }: ServerCapabilities) => {
    if (provider) {
      provider.commands = provider.commands.filter((name) => name !== openRulePageCommand);
    }
  },
  fillClientCapabilities: () => undefined,
  initialize: () => undefined,
  getState: () => ({ kind: 'static' }),
  clear: () => undefined,
};
