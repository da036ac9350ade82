// This file defines `npm run build`: the extension and its libraries in one file, dist/extension.js,
// and its runtime panel in dist/panel.js and dist/panel.css.
import esbuild from 'esbuild';
import { rm } from 'node:fs/promises';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');

await rm(path.join(root, 'dist'), { recursive: true, force: true });
await esbuild.build({
  absWorkingDir: root,
  entryPoints: ['src/extension.ts'],
  outfile: 'dist/extension.js',
  bundle: true,
  minify: true,
  keepNames: true, // stack traces in the output channel stay readable
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  external: ['vscode'], // the editor gives it
  logLevel: 'warning',
});
await esbuild.build({
  absWorkingDir: root,
  entryPoints: { panel: 'webview/main.tsx' },
  outdir: 'dist',
  bundle: true,
  minify: true,
  format: 'iife',
  platform: 'browser',
  target: 'chrome122',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  logLevel: 'warning',
});
