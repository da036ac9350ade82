// This file defines what happens when the first CUDA file is opened: the server is started, and
// replaced when the user or a setting asks for another.

import * as vscode from 'vscode';
import { registerCommands } from './commands';
import { onChange } from './config';
import { findServer } from './server';
import { Session } from './session';
import { Status } from './status';

export async function activate(extension: vscode.ExtensionContext): Promise<void> {
  const warplint = new Warplint(extension);
  extension.subscriptions.push(
    registerCommands(warplint),
    onChange(
      () => void warplint.restart(),
      () => void warplint.session?.sendSettings(),
    ),
  );
  running = warplint;
  await warplint.restart();
}

export async function deactivate(): Promise<void> {
  await running?.stop();
}

// deactivate gets no argument, and VS Code waits for it alone.
let running: Warplint | undefined;

/** Owns the session at hand and all that outlives it. */
export class Warplint {
  readonly output = vscode.window.createOutputChannel('warplint', { log: true });
  session: Session | undefined;
  private readonly status = new Status();
  private last: Promise<void> = Promise.resolve();

  constructor(readonly extension: vscode.ExtensionContext) {
    extension.subscriptions.push(this.output, this.status);
  }

  /** Replaces the session. Calls wait for each other; a failure is shown, not thrown. */
  restart(): Promise<void> {
    return this.enqueue(async () => {
      await this.close();
      await this.open();
    });
  }

  stop(): Promise<void> {
    return this.enqueue(() => this.close());
  }

  private enqueue(step: () => Promise<void>): Promise<void> {
    this.last = this.last.then(step);
    return this.last;
  }

  private async open(): Promise<void> {
    this.status.show({ kind: 'starting' });
    try {
      const server = await findServer(this.extension);
      this.output.info(`${server.version}, ${server.path}`);
      this.session = await Session.start(server, this.output, this.status);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.output.error(reason);
      this.status.show({ kind: 'failed', reason });
      void this.offerHelp(reason);
    }
  }

  private async close(): Promise<void> {
    const session = this.session;
    this.session = undefined;
    try {
      await session?.dispose();
    } catch (error) {
      this.output.warn(`The server did not stop as it should: ${String(error)}`);
    }
  }

  private async offerHelp(reason: string): Promise<void> {
    const settings = 'Open Settings';
    const output = 'Show Output';
    const chosen = await vscode.window.showErrorMessage(`warplint could not start. ${reason}`, settings, output);
    if (chosen === settings) {
      await vscode.commands.executeCommand('workbench.action.openSettings', 'warplint.server.path');
    } else if (chosen === output) {
      this.output.show();
    }
  }
}
