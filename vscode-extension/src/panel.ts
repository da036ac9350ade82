// This file defines the runtime panel from the extension's side: a webview beside the editor. Its
// own side is in the folder webview. It gets its script and style from the extension's folder and
// nothing from anywhere else.

import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { Warplint } from './extension';
import type { FromPanel, Place, ToPanel } from './protocol';
import { openRulePage } from './rulepage';
import { rangeOf } from './runs';

const viewType = 'warplint.runs';

export class Panel implements vscode.Disposable {
  private view: vscode.WebviewPanel | undefined;
  private listening = false; // the page of the panel is loaded; it is not while another tab hides it
  private selected: number | undefined; // what to tell the page when it is
  private readonly listeners: vscode.Disposable[];

  constructor(private readonly warplint: Warplint) {
    this.listeners = [
      warplint.runs.onChange(() => {
        this.tell({ tell: 'runs', runs: warplint.runs.all });
      }),
      vscode.window.registerWebviewPanelSerializer(viewType, {
        deserializeWebviewPanel: (view) => {
          this.adopt(view);
          return Promise.resolve();
        },
      }),
    ];
  }

  /** Shows the panel beside the editor, which keeps the focus. */
  show(preserveFocus: boolean): void {
    if (this.view) {
      this.view.reveal(undefined, preserveFocus);
      return;
    }
    this.adopt(
      vscode.window.createWebviewPanel(viewType, 'warplint runs', { viewColumn: vscode.ViewColumn.Beside, preserveFocus }),
    );
  }

  /** Puts a run in front. */
  select(run: number): void {
    if (this.listening) {
      this.tell({ tell: 'select', run });
    } else {
      this.selected = run;
    }
  }

  private adopt(view: vscode.WebviewPanel): void {
    this.view?.dispose();
    this.view = view;
    this.listening = false;
    const folder = vscode.Uri.joinPath(this.warplint.extension.extensionUri, 'dist');
    view.webview.options = { enableScripts: true, localResourceRoots: [folder] };
    view.webview.onDidReceiveMessage((message: FromPanel) => void this.answer(message));
    view.onDidChangeViewState(() => {
      if (this.view === view && !view.visible) {
        this.listening = false;
      }
    });
    view.onDidDispose(() => {
      if (this.view === view) {
        this.view = undefined;
      }
    });
    view.webview.html = page(
      view.webview.asWebviewUri(vscode.Uri.joinPath(folder, 'panel.js')),
      view.webview.asWebviewUri(vscode.Uri.joinPath(folder, 'panel.css')),
      view.webview.cspSource,
    );
  }

  private tell(message: ToPanel): void {
    void this.view?.webview.postMessage(message);
  }

  private async answer(message: FromPanel): Promise<void> {
    try {
      await this.act(message);
    } catch (error) {
      void vscode.window.showErrorMessage(`warplint: ${reason(error)}`);
    }
  }

  private async act(message: FromPanel): Promise<void> {
    const { runs, marks } = this.warplint;
    switch (message.ask) {
      case 'runs':
        this.listening = true;
        this.tell({ tell: 'runs', runs: runs.all });
        if (this.selected !== undefined) {
          this.tell({ tell: 'select', run: this.selected });
          this.selected = undefined;
        }
        return;
      case 'go':
        await go(message.place, message.focus);
        return;
      case 'show':
        marks.select(message.run, message.finding);
        return;
      case 'timeline':
        await this.timeline(message.run, message.finding);
        return;
      case 'again':
        await this.again(message.run);
        return;
      case 'cancel':
        await runs.cancel(message.run);
        return;
      case 'export':
        await this.save(message.run);
        return;
      case 'forget':
        await runs.forget();
        return;
      case 'rule':
        await openRulePage(this.warplint.extension, message.rule);
    }
  }

  private async timeline(run: number, finding: number): Promise<void> {
    let failed = '';
    const timeline = await this.warplint.runs.timeline(run, finding).catch((error: unknown) => {
      failed = reason(error);
      return null;
    });
    this.tell({ tell: 'timeline', run, finding, timeline, failed });
  }

  private async again(id: number): Promise<void> {
    const run = this.warplint.runs.get(id);
    if (run) {
      await vscode.commands.executeCommand(run.again.command, run.again.argument);
    }
  }

  private async save(run: number): Promise<void> {
    const text = await this.warplint.runs.sarif(run);
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    const target = await vscode.window.showSaveDialog({
      ...(folder ? { defaultUri: vscode.Uri.joinPath(folder, 'warplint.sarif') } : {}),
      filters: { SARIF: ['sarif', 'json'] },
      title: 'Export the run as SARIF',
    });
    if (target) {
      await vscode.workspace.fs.writeFile(target, Buffer.from(text));
    }
  }

  dispose(): void {
    this.view?.dispose();
    vscode.Disposable.from(...this.listeners).dispose();
  }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Opens the file of a place where it is open already, or in the first column. */
async function go(place: Place, focus: boolean): Promise<void> {
  const uri = vscode.Uri.parse(place.uri);
  const open = vscode.window.visibleTextEditors.find((editor) => editor.document.uri.toString() === uri.toString());
  const range = rangeOf(place);
  const editor = await vscode.window.showTextDocument(uri, {
    viewColumn: open?.viewColumn ?? vscode.ViewColumn.One,
    preserveFocus: !focus,
  });
  if (range) {
    editor.selection = new vscode.Selection(range.start, range.start);
    editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }
}

function page(script: vscode.Uri, style: vscode.Uri, source: string): string {
  const nonce = randomBytes(16).toString('base64');
  const policy = `default-src 'none'; style-src ${source}; script-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${style.toString()}">
<title>warplint runs</title>
</head>
<body><div id="panel"></div><script nonce="${nonce}" src="${script.toString()}"></script></body>
</html>`;
}
