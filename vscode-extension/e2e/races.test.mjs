// This file tests what the panel makes of findings: one race for each pair of lines, and the one finding that speaks for it.
import assert from 'node:assert/strict';
import path from 'node:path';
import { it } from 'node:test';
import { build } from 'esbuild';

const source = path.resolve(import.meta.dirname, '..', 'webview', 'races.ts');
const { outputFiles } = await build({ entryPoints: [source], format: 'esm', write: false });
/** @type {unknown} */
const compiled = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
const { fitting, racesOf } = /** @type {typeof import('../webview/races')} */ (compiled);

/** @param {string} severity @param {string} rule @param {string} detector */
const finding = (severity, rule, detector, line = 4, count = 1) => ({
  kernel: 'k',
  kind: 'inter-block',
  severity,
  rule,
  detector,
  count,
  first: { uri: 'file:///a.cu', line },
  second: { uri: 'file:///a.cu', line: 9 },
});
const any = { kind: '', rule: '', detector: '' };
const run = /** @type {import('../src/protocol').Run} */ (
  /** @type {unknown} */ ({
  findings: [
    finding('information', 'missing-fence', 'causality', 2),
    finding('hint', 'same-value-write', 'causality', 4, 70),
    finding('error', 'inter-block-race', 'causality', 4, 3),
    finding('warning', 'inter-block-race', 'iguard', 4, 5),
  ],
})
);

it('shows the worst finding of a pair of lines, and the worst pair first', () => {
  const races = racesOf(run, any);
  assert.deepEqual(
    races.map(({ finding, findings, count }) => [finding.severity, finding.rule, findings.length, count]),
    [
      ['error', 'inter-block-race', 3, 70],
      ['information', 'missing-fence', 1, 1],
    ],
  );
});

it('shows what passes the filter, not what stands beside it', () => {
  const [race, ...others] = racesOf(run, { ...any, rule: 'same-value-write' });
  assert.deepEqual([race.finding.severity, race.count, others.length], ['hint', 70, 0]);
  assert.equal(racesOf(run, { ...any, rule: 'same-value-write', detector: 'iguard' }).length, 0);
});

it('drops a filter that no finding of the run fits', () => {
  const old = { ...any, rule: 'lock-scope', detector: 'iguard' }; // of the run before
  assert.deepEqual(fitting(run, old), { ...any, detector: 'iguard' });
  assert.equal(racesOf(run, old).length, 1);
});
