// This file defines the pages about the rules: the server's own text, in the Markdown preview, so
// that a page needs no network and says what this version of the server does.

import * as vscode from 'vscode';
import type { Warplint } from './extension';
import { ask } from './server';

const scheme = 'warplint-rule';

export function registerRulePages(warplint: Warplint): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(scheme, {
    provideTextDocumentContent: (uri) => {
      const program = warplint.session?.server.path;
      return program === undefined ? 'The warplint server does not run.' : ask(program, 'explain', uri.query);
    },
  });
}

/** Opens the page of a rule; without a name, of the rule that has findings at the cursor or, else, in the file. */
export async function openRulePage(named?: string): Promise<void> {
  const rule = named ?? (await chooseRule());
  if (rule !== undefined) {
    const page = vscode.Uri.from({ scheme, path: `/${rule}.md`, query: rule });
    await vscode.commands.executeCommand('markdown.showPreview', page);
  }
}

async function chooseRule(): Promise<string | undefined> {
  const editor = vscode.window.activeTextEditor;
  const findings = editor ? vscode.languages.getDiagnostics(editor.document.uri).filter(isFinding) : [];
  const atCursor = findings.filter((finding) => editor?.selection.intersection(finding.range));
  const rules = [...new Set((atCursor.length > 0 ? atCursor : findings).map(ruleOf))];
  if (rules.length === 0) {
    void vscode.window.showInformationMessage('warplint has no finding in this file.');
    return undefined;
  }
  return rules.length === 1 ? rules[0] : vscode.window.showQuickPick(rules, { title: 'Rule' });
}

function isFinding(diagnostic: vscode.Diagnostic): boolean {
  return diagnostic.source === 'warplint' && ruleOf(diagnostic) !== '';
}

/** A finding's code is its rule; with a link to the page it comes as an object. */
function ruleOf(diagnostic: vscode.Diagnostic): string {
  const { code } = diagnostic;
  return String(typeof code === 'object' ? code.value : (code ?? ''));
}
