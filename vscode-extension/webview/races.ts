// This file defines how findings become what the panel lists: races. A race is two lines of one
// kernel; each detector that saw it has a finding about it, or several.

import type { Finding, Place, Run } from '../src/protocol';

export interface Race {
  key: string;
  kernel: string;
  finding: Finding; // the one that speaks for all
  findings: Finding[];
  count: number; // the most that one detector counted
}

export interface Filter {
  kind: string; // empty for any
  rule: string;
  detector: string;
}

const severities = ['hint', 'information', 'warning', 'error'];

/** The races of a run that pass a filter, the worst first within each kernel. */
export function racesOf(run: Run, filter: Filter): Race[] {
  const races = new Map<string, Race>();
  for (const finding of run.findings) {
    const key = [finding.kernel, ...[finding.first, finding.second].map(lineKey).sort()].join('\n');
    const race = races.get(key);
    if (race) {
      race.findings.push(finding);
      race.count = Math.max(race.count, finding.count);
    } else {
      races.set(key, { key, kernel: finding.kernel, finding, findings: [finding], count: finding.count });
    }
  }
  const passes = (finding: Finding): boolean =>
    [
      [filter.kind, finding.kind],
      [filter.rule, finding.rule],
      [filter.detector, finding.detector],
    ].every(([wanted, is]) => wanted === '' || wanted === is);
  return [...races.values()]
    .filter((race) => race.findings.some(passes))
    .sort((a, b) => a.kernel.localeCompare(b.kernel) || rank(b) - rank(a) || a.finding.first.line - b.finding.first.line);
}

function rank(race: Race): number {
  return Math.max(...race.findings.map((finding) => severities.indexOf(finding.severity)));
}

function lineKey(place: Place): string {
  return `${place.uri}:${place.line}`;
}

/** The different values that findings have, for a filter's menu. */
export function values(run: Run, of: (finding: Finding) => string): string[] {
  return [...new Set(run.findings.map(of))].sort();
}

export function lines({ first, second }: Finding): string {
  if (first.uri !== second.uri) {
    return `${first.file}:${first.line} and ${second.file}:${second.line}`;
  }
  const [one, other] = [first.line, second.line].sort((a, b) => a - b);
  return one === other ? `line ${one}` : `lines ${one} and ${other}`;
}

export function triple(at: readonly number[]): string {
  return `(${at.join(',')})`;
}

export function counted(count: number, one: string, many: string): string {
  return `${count.toLocaleString()} ${count === 1 ? one : many}`;
}

export function times(count: number): string {
  return count === 1 ? 'once' : `${count.toLocaleString()} times`;
}
