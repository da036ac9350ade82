// This file defines the last step of `npm run screenshot`: the pictures that the end-to-end test made
// become those of the documentation.
import { copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';

const extension = path.resolve(import.meta.dirname, '..');
const images = path.resolve(extension, '..', 'docs', 'images');

await mkdir(images, { recursive: true });
for (const picture of ['squiggle.png', 'runtime.png']) {
  await copyFile(path.join(extension, 'e2e', 'results', picture), path.join(images, picture));
}
