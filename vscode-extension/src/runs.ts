// This file defines what the extension knows of runs on the simulator: the server keeps them, and
// says when there is something new.

import * as vscode from 'vscode';
import type { Finding, Place, Run, Timeline } from './protocol';

/** Asks the server to execute one of its commands. */
export type Execute = (command: string, argument?: object) => Promise<unknown>;

export class Runs implements vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<void>();
  private asked = 0;
  private execute: Execute | undefined;
  readonly onChange = this.changes.event;
  all: Run[] = []; // the newest first

  /** The server that keeps the runs; none while there is no server. */
  connect(execute: Execute | undefined): void {
    this.execute = execute;
    void this.refresh();
  }

  /** Asks for the runs again. Of several answers the one to the last question counts. */
  async refresh(): Promise<void> {
    const question = ++this.asked;
    const all = this.execute ? ((await this.execute('warplint.runs').catch(() => [])) as Run[]) : [];
    if (question === this.asked) {
      this.all = all;
      this.changes.fire();
    }
  }

  get(id: number): Run | undefined {
    return this.all.find((run) => run.id === id);
  }

  finding(run: number, index: number): Finding | undefined {
    return this.get(run)?.findings.find((finding) => finding.index === index);
  }

  async timeline(run: number, finding: number): Promise<Timeline | null> {
    return (await this.ask('warplint.timeline', { run, finding: String(finding) })) as Timeline | null;
  }

  async sarif(run: number): Promise<string> {
    return (await this.ask('warplint.exportRun', { run })) as string;
  }

  async cancel(run: number): Promise<void> {
    await this.ask('warplint.cancelRun', { run });
  }

  async forget(): Promise<void> {
    await this.execute?.('warplint.forgetRuns', {});
  }

  private async ask(command: string, argument: object): Promise<unknown> {
    if (!this.execute) {
      throw new Error('the server is not running');
    }
    return this.execute(command, argument);
  }

  dispose(): void {
    this.changes.dispose();
  }
}

/** The range of a place in the text as it is now. */
export function rangeOf(place: Place): vscode.Range | undefined {
  const range = place.range;
  return range
    ? new vscode.Range(range.start.line, range.start.character, range.end.line, range.end.character)
    : undefined;
}
