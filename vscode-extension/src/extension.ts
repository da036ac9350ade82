// This file defines what happens when the first CUDA file is opened: the server is started, and
// replaced when it crashes, or when the user or a setting asks for another.

import * as vscode from 'vscode';
import { registerCommands } from './commands';
import { onChange } from './config';
import { isCuda } from './files';
import { findServer } from './server';
import { Session } from './session';
import { Marks } from './marks';
import { Panel } from './panel';
import { Runs } from './runs';
import { Status } from './status';
import { Trace } from './trace';

const begins = ['warplint.simulate', 'warplint.simulateKernel', 'warplint.import']; // a run, to be watched
const crashesAllowed = 4;
const crashWindow = 3 * 60_000; // milliseconds in which they are counted

// deactivate gets no argument, and VS Code waits for it alone.
let active: Warplint | undefined;

export async function activate(extension: vscode.ExtensionContext): Promise<void> {
  const warplint = new Warplint(extension);
  active = warplint;
  const opened = async (document: vscode.TextDocument) => {
    if (isCuda(document)) {
      await warplint.start();
    }
  };
  extension.subscriptions.push(
    registerCommands(warplint),
    onChange('warplint.server.path', () => void warplint.another()),
    vscode.workspace.onDidOpenTextDocument((document) => void opened(document)),
  );
  await Promise.all(vscode.workspace.textDocuments.map(opened));
}

export async function deactivate(): Promise<void> {
  await active?.stop();
}

/** Owns the session at hand and all that outlives it. */
export class Warplint {
  readonly output = vscode.window.createOutputChannel('warplint', { log: true });
  readonly runs = new Runs();
  readonly marks = new Marks(this.runs);
  readonly panel: Panel;
  session: Session | undefined;
  private readonly status = new Status();
  private readonly trace = new Trace(this.output);
  private last: Promise<void> = Promise.resolve();
  private begun = false;
  private crashes: number[] = []; // when they happened, in milliseconds

  constructor(readonly extension: vscode.ExtensionContext) {
    this.panel = new Panel(this);
    extension.subscriptions.push(this.output, this.status, this.trace, this.runs, this.marks, this.panel);
  }

  /** Begins the first session, once. */
  async start(): Promise<void> {
    await (this.begun ? this.last : this.restart());
  }

  /** Whether there is a session, after an attempt to get one where there is none. */
  async ready(): Promise<boolean> {
    await this.start();
    if (!this.session) {
      await this.restart();
    }
    return this.session !== undefined;
  }

  /** Replaces the session, if one was wanted. */
  async another(): Promise<void> {
    if (this.begun) {
      await this.restart();
    }
  }

  /** Replaces the session. Calls wait for each other; a failure is shown, not thrown. */
  restart(): Promise<void> {
    this.begun = true;
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
      this.session = await Session.start(this.extension, server, this.output, this.trace, {
        crashed: () => {
          this.recover();
        },
        runsChanged: () => void this.runs.refresh(),
        executed: (command, answer) => {
          this.executed(command, answer);
        },
      });
      this.runs.connect(this.session.execute);
      this.status.show({ kind: 'running', server });
    } catch (error) {
      this.fail('warplint could not start.', error instanceof Error ? error.message : String(error));
    }
  }

  private async close(): Promise<void> {
    const session = this.session;
    this.session = undefined;
    this.runs.connect(undefined);
    await session?.dispose();
  }

  /** Shows the run that a command began. */
  private executed(command: string, answer: unknown): void {
    if (begins.includes(command) && typeof answer === 'object' && answer && 'run' in answer) {
      this.panel.show(true);
      this.panel.select(Number(answer.run));
    }
  }

  private recover(): void {
    const now = Date.now();
    this.crashes = [...this.crashes.filter((at) => now - at < crashWindow), now];
    if (this.crashes.length <= crashesAllowed) {
      this.output.warn('The server ended by itself and is started again.');
      void this.restart();
    } else {
      void this.stop();
      this.fail('warplint gave up.', `The server ended by itself ${this.crashes.length} times in a short time.`);
    }
  }

  private fail(headline: string, reason: string): void {
    this.output.error(reason);
    this.status.show({ kind: 'failed', reason });
    void this.offerHelp(`${headline} ${reason}`);
  }

  private async offerHelp(message: string): Promise<void> {
    const settings = 'Open Settings';
    const output = 'Show Output';
    const chosen = await vscode.window.showErrorMessage(message, settings, output);
    if (chosen === settings) {
      await vscode.commands.executeCommand('workbench.action.openSettings', 'warplint.server.path');
    } else if (chosen === output) {
      this.output.show();
    }
  }
}
