// This file defines the last step of `npm run screenshot`: the picture that the end-to-end test made
// becomes the one of the documentation.
import { copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';

const extension = path.resolve(import.meta.dirname, '..');
const images = path.resolve(extension, '..', 'docs', 'images');

await mkdir(images, { recursive: true });
await copyFile(path.join(extension, 'e2e', 'results', 'squiggle.png'), path.join(images, 'squiggle.png'));
