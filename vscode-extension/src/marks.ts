// This file defines what runs leave in the text: beside each line that raced a sign in the gutter,
// how often, and a mark on the overview ruler; and both places of the race that is selected.

import * as vscode from 'vscode';
import { rangeOf, type Runs } from './runs';
import type { Finding, Site } from './protocol';

const sign = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="none" stroke="#d18616" stroke-width="1.8" stroke-linecap="round" d="M3 3l4 5-4 5M13 3L9 8l4 5"/></svg>`;

export class Marks implements vscode.Disposable {
  private readonly raced = vscode.window.createTextEditorDecorationType({
    gutterIconPath: vscode.Uri.parse(`data:image/svg+xml;utf8,${encodeURIComponent(sign)}`),
    gutterIconSize: 'contain',
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.warningForeground'),
    overviewRulerLane: vscode.OverviewRulerLane.Right,
    after: { color: new vscode.ThemeColor('editorCodeLens.foreground'), margin: '0 0 0 2em' },
  });
  private readonly selected = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('editor.rangeHighlightBackground'),
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.findMatchForeground'),
    overviewRulerLane: vscode.OverviewRulerLane.Full,
  });
  private selection: { run: number; finding: number } | undefined;
  private readonly listeners: vscode.Disposable[];

  constructor(private readonly runs: Runs) {
    this.listeners = [
      runs.onChange(() => {
        this.show();
      }),
      vscode.window.onDidChangeVisibleTextEditors(() => {
        this.show();
      }),
    ];
  }

  /** Shows both places of a finding in the text, until another one is chosen. */
  select(run: number, finding: number): void {
    this.selection = { run, finding };
    this.show();
  }

  private show(): void {
    const counts = this.counts();
    const chosen = this.selection && this.runs.finding(this.selection.run, this.selection.finding);
    for (const editor of vscode.window.visibleTextEditors) {
      const uri = editor.document.uri.toString();
      editor.setDecorations(this.raced, counted(counts.get(uri)));
      editor.setDecorations(this.selected, chosen ? rangesIn(uri, chosen) : []);
    }
  }

  /** How often each line raced, by file: what the newest run of a kernel says of it. */
  private counts(): Map<string, Map<number, number>> {
    const files = new Map<string, Map<number, number>>();
    const known = new Set<string>();
    for (const run of this.runs.all) {
      for (const finding of run.findings.filter((one) => !one.stale && !known.has(`${run.uri} ${one.kernel}`))) {
        const lines = new Set(sites(finding).flatMap((site) => (site.range ? [`${site.range.start.line} ${key(site)}`] : [])));
        for (const entry of lines) {
          const [line, ...uri] = entry.split(' ');
          const file = files.get(uri.join(' ')) ?? new Map<number, number>();
          files.set(uri.join(' '), file);
          file.set(Number(line), (file.get(Number(line)) ?? 0) + finding.count);
        }
      }
      run.kernels.forEach((kernel) => known.add(`${run.uri} ${kernel.name}`));
    }
    return files;
  }

  dispose(): void {
    vscode.Disposable.from(this.raced, this.selected, ...this.listeners).dispose();
  }
}

function sites(finding: Finding): Site[] {
  return [finding.first, finding.second];
}

/** The file of a site as VS Code writes its URI; servers escape differently. */
function key(site: Site): string {
  return vscode.Uri.parse(site.uri).toString();
}

function counted(lines: Map<number, number> | undefined): vscode.DecorationOptions[] {
  return [...(lines ?? [])].map(([line, count]) => ({
    range: new vscode.Range(line, 0, line, Number.MAX_SAFE_INTEGER),
    hoverMessage: `Raced ${count} times on the simulator`,
    renderOptions: { after: { contentText: `raced ×${count.toLocaleString()}` } },
  }));
}

function rangesIn(uri: string, finding: Finding): vscode.Range[] {
  return sites(finding).flatMap((site) => {
    const range = key(site) === uri ? rangeOf(site) : undefined;
    return range ? [range] : [];
  });
}
