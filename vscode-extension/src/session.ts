// This file defines a session: one run of the server with the client that talks to it. It is never
// started again; whoever wants another server disposes of it and makes a new one.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import * as vscode from 'vscode';
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  RevealOutputChannelOn,
  type ServerCapabilities,
  type StaticFeature,
} from 'vscode-languageclient/node';
import { serverSettings } from './config';
import { sharedFiles } from './files';
import type { Execute } from './runs';
import { openRulePageCommand } from './rulepage';
import { answerWithin, ServerError, type Server } from './server';
import type { Trace } from './trace';

const stopWithin = 2_000; // milliseconds until a server that does not stop is killed
const brokenMessages = 3; // in a row, until the connection is given up

/** What a session tells its owner. */
export interface Hooks {
  crashed(): void; // the server ended by itself
  runsChanged(): void;
  executed(command: string, answer: unknown): void; // a command of the server, by whoever
}

export class Session {
  private readonly client: Client;
  private process: ChildProcess | undefined;
  private running = false;
  private readonly trust: vscode.Disposable;

  private constructor(
    extension: vscode.ExtensionContext,
    readonly server: Server,
    private readonly output: vscode.LogOutputChannel,
    trace: Trace,
    hooks: Hooks,
  ) {
    this.client = new Client(
      'warplint', // also the prefix of the setting trace.server
      'warplint',
      () => this.spawn(),
      {
        documentSelector: sharedFiles,
        initializationOptions: serverSettings(extension),
        initializationFailedHandler: () => false, // start rejects, and that is enough
        errorHandler: {
          error: (_error, _message, count) => ({
            action: count !== undefined && count <= brokenMessages ? ErrorAction.Continue : ErrorAction.Shutdown,
          }),
          closed: () => {
            if (this.running) {
              this.running = false;
              hooks.crashed();
            }
            return { action: CloseAction.DoNotRestart, handled: true };
          },
        },
        // The server is told of each change and asks for the settings; the answer has the variables replaced.
        middleware: {
          workspace: { configuration: ({ items }) => items.map(() => serverSettings(extension)) },
          executeCommand: async (command, args, next) => {
            const answer = (await next(command, args)) as unknown;
            hooks.executed(command, answer);
            return answer;
          },
        },
        outputChannel: output,
        traceOutputChannel: trace.channel,
        revealOutputChannelOn: RevealOutputChannelOn.Never,
      },
    );
    this.client.registerFeature(ownCommands);
    this.client.onNotification('warplint/runsChanged', () => {
      hooks.runsChanged();
    });
    this.trust = vscode.workspace.onDidGrantWorkspaceTrust(
      () => void this.client.sendNotification('workspace/didChangeConfiguration', { settings: null }),
    );
  }

  /** Asks the server to execute one of its commands. */
  readonly execute: Execute = (command, argument) =>
    this.client.sendRequest('workspace/executeCommand', { command, arguments: argument ? [argument] : [] });

  /** Starts the server; rejects with a ServerError if the two sides cannot talk. Calls back if the
   * server ends by itself later. */
  static async start(
    extension: vscode.ExtensionContext,
    server: Server,
    output: vscode.LogOutputChannel,
    trace: Trace,
    hooks: Hooks,
  ): Promise<Session> {
    const session = new Session(extension, server, output, trace, hooks);
    const late = new AbortController();
    const timer = setTimeout(() => {
      late.abort();
      session.process?.kill('SIGKILL');
    }, answerWithin);
    try {
      await session.client.start();
      session.running = true;
      return session;
    } catch (error) {
      await session.dispose();
      const reason = late.signal.aborted ? `no answer within ${answerWithin / 1000} seconds` : session.endedOr(error);
      throw new ServerError(`The server, ${server.path}, did not start: ${reason}.`);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Stops the server, in the protocol's way if it still can. */
  async dispose(): Promise<void> {
    this.running = false;
    this.trust.dispose();
    try {
      await this.client.dispose(stopWithin);
    } catch (error) {
      this.output.debug(`The server did not stop in order: ${String(error)}`);
    } finally {
      this.process?.kill('SIGKILL');
    }
  }

  /** The reason that says more: that the server has ended, or what went wrong with the talk. */
  private endedOr(error: unknown): string {
    const status = this.process?.exitCode ?? null;
    if (status !== null) {
      return `it ended with status ${status}`;
    }
    return error instanceof Error ? error.message : String(error);
  }

  private async spawn(): Promise<ChildProcess> {
    this.process = spawn(this.server.path, ['lsp']);
    await once(this.process, 'spawn');
    return this.process;
  }
}

class Client extends LanguageClient {
  /** Only logs: what the user must know is said once, in extension.ts. */
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

// The client gives every command of the server to VS Code, which takes a name only once.
const ownCommands: StaticFeature = {
  preInitialize: ({ executeCommandProvider: provider }: ServerCapabilities) => {
    if (provider) {
      provider.commands = provider.commands.filter((name) => name !== openRulePageCommand);
    }
  },
  fillClientCapabilities: (capabilities) => {
    // A notification of our own says when the runs of the panel have changed.
    capabilities.experimental = { ...(capabilities.experimental as object), warplintRuns: true };
  },
  initialize: () => undefined,
  getState: () => ({ kind: 'static' }),
  clear: () => undefined,
};
