// This file defines `npm run icon`: icon.png, two threads that cross where the squiggle is.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { crc32, deflateSync } from 'node:zlib';

const size = 128;
const samples = 4; // per pixel and axis

/** @typedef {[number, number, number]} Colour */

/** Distance of a point from the curve y = f(x), near enough for a thin line.
 * @param {number} x @param {number} y @param {(x: number) => number} f */
function distance(x, y, f) {
  const slope = (f(x + 0.01) - f(x - 0.01)) / 0.02;
  return Math.abs(y - f(x)) / Math.hypot(1, slope);
}

/** @param {number} x @returns {number} */
const cross = (x) => 52 + 26 * Math.tanh((x - 64) / 18);
/** @param {number} x @returns {number} */
const squiggle = (x) => 104 + 5 * Math.sin((x - 64) * 0.36);

/** The colour at a point, or undefined outside of the rounded square.
 * @param {number} x @param {number} y @returns {Colour | undefined} */
function colour(x, y) {
  const corner = 24;
  const dx = Math.max(corner - x, x - (size - corner), 0);
  const dy = Math.max(corner - y, y - (size - corner), 0);
  if (Math.hypot(dx, dy) > corner) return undefined;
  if (x > 16 && x < 112) {
    if (x > 30 && x < 98 && distance(x, y, squiggle) < 3) return [244, 162, 54];
    if (distance(x, y, cross) < 4.5) return [118, 185, 0];
    if (distance(x, y, (at) => 104 - cross(at)) < 4.5) return [86, 156, 214];
  }
  return [30, 34, 40];
}

/** The pixel as the mean of its samples: red, green, blue, alpha. @param {number} px @param {number} py */
function pixel(px, py) {
  const sum = [0, 0, 0];
  let covered = 0;
  for (let i = 0; i < samples * samples; i++) {
    const found = colour(px + ((i % samples) + 0.5) / samples, py + (Math.floor(i / samples) + 0.5) / samples);
    if (!found) continue;
    covered++;
    found.forEach((value, channel) => (sum[channel] += value));
  }
  return [...sum.map((value) => Math.round(value / Math.max(covered, 1))), Math.round((255 * covered) / samples ** 2)];
}

/** @param {string} type @param {Buffer} data */
function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}

const header = Buffer.alloc(13);
header.writeUInt32BE(size, 0);
header.writeUInt32BE(size, 4);
header.set([8, 6], 8); // eight bits a channel, with alpha
const row = Array.from({ length: size }, (_, index) => index);
const pixels = Buffer.from(row.flatMap((y) => [0, ...row.flatMap((x) => pixel(x, y))]));
const png = Buffer.concat([
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  chunk('IHDR', header),
  chunk('IDAT', deflateSync(pixels, { level: 9 })),
  chunk('IEND', Buffer.alloc(0)),
]);
await writeFile(path.resolve(import.meta.dirname, '..', 'icon.png'), png);
