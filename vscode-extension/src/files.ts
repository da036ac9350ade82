// This file defines which files are the server's. Some users associate *.cu with C++, for the sake of
// other extensions; the name decides there.

import * as vscode from 'vscode';

export const cudaFiles = [
  { scheme: 'file', language: 'cuda-cpp' },
  { scheme: 'untitled', language: 'cuda-cpp' },
  { scheme: 'file', pattern: '**/*.{cu,cuh}' },
];

export function isCuda(document: vscode.TextDocument): boolean {
  return vscode.languages.match(cudaFiles, document) > 0;
}
