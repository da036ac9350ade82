// This file defines how findings become what the panel lists: races. A race is two lines of one
// kernel; each detector that saw it has a finding about it, or several.

import type { Finding, Place, Run } from '../src/protocol';

export interface Race {
  key: string;
  kernel: string;
  finding: Finding; // the worst that passes the filter, which speaks for all
  findings: Finding[];
  count: number; // the most that one detector counted
}

export interface Filter {
  kind: string; // empty for any
  rule: string;
  detector: string;
}

const severities = ['hint', 'information', 'warning', 'error'];

/** The filter without what no finding of a run has: nobody could take that back in its menus. */
export function fitting(run: Run, filter: Filter): Filter {
  const known = (name: keyof Filter): string => (run.findings.some((finding) => finding[name] === filter[name]) ? filter[name] : '');
  return { kind: known('kind'), rule: known('rule'), detector: known('detector') };
}

/** The races of a run that pass a filter, the worst first within each kernel. */
export function racesOf(run: Run, filter: Filter): Race[] {
  const lines = new Map<string, Finding[]>();
  for (const finding of run.findings) {
    const key = [finding.kernel, ...[finding.first, finding.second].map(lineKey).sort()].join('\n');
    lines.set(key, [...(lines.get(key) ?? []), finding]);
  }
  const wanted = fitting(run, filter);
  const passes = (finding: Finding): boolean =>
    (['kind', 'rule', 'detector'] as const).every((name) => wanted[name] === '' || wanted[name] === finding[name]);
  const races = [...lines].flatMap(([key, findings]): Race[] => {
    const passing = findings.filter(passes);
    if (passing.length === 0) {
      return [];
    }
    const finding = passing.reduce((worst, one) => (rank(one) > rank(worst) ? one : worst));
    return [{ key, kernel: finding.kernel, finding, findings, count: Math.max(...passing.map((one) => one.count)) }];
  });
  return races.sort(
    (a, b) => a.kernel.localeCompare(b.kernel) || rank(b.finding) - rank(a.finding) || a.finding.first.line - b.finding.first.line,
  );
}

function rank(finding: Finding): number {
  return severities.indexOf(finding.severity);
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
