// This file defines which files are the server's to check. Some users associate *.cu with C++, for the sake of
// other extensions; the name decides there.

import * as vscode from 'vscode';

export const cudaFiles = [
  { scheme: 'file', language: 'cuda-cpp' },
  { scheme: 'untitled', language: 'cuda-cpp' },
  { scheme: 'file', pattern: '**/*.{cu,cuh}' },
];

/** What the server is told of: CUDA files depend on headers and host code as they are in the editor. */
export const sharedFiles = [...cudaFiles, { scheme: 'file', language: 'cpp' }, { scheme: 'file', language: 'c' }];

export function isCuda(document: vscode.TextDocument): boolean {
  return vscode.languages.match(cudaFiles, document) > 0;
}
