// This file defines `npm run package`: warplint.vsix, with the server for the platform it runs on.
import { execFileSync } from 'node:child_process';
import { copyFile, cp, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';

const extension = path.resolve(import.meta.dirname, '..');
const repository = path.dirname(extension);
const server = path.join('vscode-extension', 'bin', process.platform === 'win32' ? 'warplint.exe' : 'warplint');

/** @param {string} cwd @param {string} command @param {string[]} args */
function run(cwd, command, ...args) {
  execFileSync(command, args, { cwd, stdio: 'inherit' });
}

await mkdir(path.join(extension, 'bin'), { recursive: true });
run(repository, 'go', 'build', '-trimpath', '-o', server, './cmd/warplint');
run(extension, process.execPath, 'scripts/build.mjs');
await copyFile(path.join(repository, 'LICENSE'), path.join(extension, 'LICENSE'));
await rm(path.join(extension, 'rules'), { recursive: true, force: true });
await cp(path.join(repository, 'docs', 'rules'), path.join(extension, 'rules'), {
  recursive: true,
  filter: (file) => path.basename(file) !== 'README.md', // the list of the pages
});
run(
  extension,
  process.execPath,
  'node_modules/@vscode/vsce/vsce',
  'package',
  '--no-dependencies', // esbuild put them into dist/extension.js
  '--target',
  `${process.platform}-${process.arch}`,
  '--out',
  'warplint.vsix',
);
