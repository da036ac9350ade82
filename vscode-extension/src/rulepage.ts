// This file defines how the page about a rule is shown: from the extension's own folder, in the
// Markdown preview, so that it needs no network.

import * as path from 'node:path';
import * as vscode from 'vscode';

/** Also a command of the server, for editors that cannot show a page: both take a rule's name. */
export const openRulePageCommand = 'warplint.openRulePage';

/** Opens the page of a rule; without a name, of the one that has a finding at the cursor, or of one to choose. */
export async function openRulePage(extension: vscode.ExtensionContext, named?: string): Promise<void> {
  const folder = vscode.Uri.joinPath(extension.extensionUri, 'rules');
  const rule = named ?? (await chooseRule(folder));
  if (rule === undefined) {
    return;
  }
  const page = vscode.Uri.joinPath(folder, `${rule}.md`);
  try {
    await vscode.workspace.fs.stat(page);
  } catch {
    void vscode.window.showErrorMessage(`This version of the extension has no page about "${rule}".`);
    return;
  }
  await vscode.commands.executeCommand('markdown.showPreview', page);
}

async function chooseRule(folder: vscode.Uri): Promise<string | undefined> {
  const editor = vscode.window.activeTextEditor;
  const findings = editor ? vscode.languages.getDiagnostics(editor.document.uri).filter(isFinding) : [];
  const atCursor = rulesOf(findings.filter((finding) => editor?.selection.intersection(finding.range)));
  if (atCursor.length === 1) {
    return atCursor[0];
  }
  const inFile = rulesOf(findings);
  const pages = (await vscode.workspace.fs.readDirectory(folder)).map(([name]) => path.basename(name, '.md'));
  const others = pages.filter((rule) => !inFile.includes(rule)).sort();
  const chosen = await vscode.window.showQuickPick(
    [
      ...inFile.map((label) => ({ label, description: 'found in this file' })),
      ...others.map((label) => ({ label })),
    ],
    { title: 'Rule' },
  );
  return chosen?.label;
}

function isFinding(diagnostic: vscode.Diagnostic): boolean {
  return diagnostic.source?.startsWith('warplint') ?? false; // or of a run
}

/** The rules of findings, each once: a finding's code, which comes as an object if it has a link. */
function rulesOf(findings: vscode.Diagnostic[]): string[] {
  return [...new Set(findings.map(({ code }) => String(typeof code === 'object' ? code.value : code)))];
}
