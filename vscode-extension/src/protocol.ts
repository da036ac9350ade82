// This file defines what the server says of runs; lsp/panel.go writes it. The panel's own half
// uses the same types.

export interface Range {
  start: { line: number; character: number };
  end: { line: number; character: number };
}

/** A place in the text as it is now; the range is null if nothing is left of it. */
export interface Place {
  uri: string;
  file: string;
  line: number; // from 1, when it ran
  text: string; // of the line, when it ran
  range: Range | null;
}

export type Triple = [number, number, number];

export interface Thread {
  block: Triple;
  thread: Triple;
}

export interface Site extends Place {
  access: string;
  thread: Thread | null;
  calls: Place[];
}

export interface Finding {
  index: number;
  kernel: string;
  rule: string;
  kind: string;
  severity: string;
  detector: string;
  count: number;
  space: string;
  variable: string;
  message: string;
  why: string;
  mend: string;
  stale: boolean; // the kernel is not the one that ran
  first: Site;
  second: Site;
  grid: Triple;
  block: Triple;
  witnessed: boolean; // whether the two threads are known, and can be traced
}

export interface Run {
  id: number;
  kind: 'program' | 'kernel' | 'finding' | 'report';
  title: string;
  uri: string;
  state: 'running' | 'done' | 'failed' | 'cancelled';
  message: string;
  started: string; // RFC 3339
  seconds: number;
  detectors: string[];
  schedules: number;
  launches: number;
  instructions: number;
  kernels: { name: string; verdict: string }[];
  findings: Finding[];
  problems: string[];
  again: { command: string; argument: unknown }; // makes the same run
}

export interface Step extends Place {
  second: boolean; // done by the second thread
  what: string;
  sync: boolean;
  race: boolean;
  values: string;
}

export interface Timeline {
  first: Thread;
  second: Thread;
  space: string;
  variable: string;
  address: string;
  steps: Step[];
}

/** What the panel asks of the extension. */
export type FromPanel =
  | { ask: 'runs' }
  | { ask: 'go'; place: Place; focus: boolean }
  | { ask: 'show'; run: number; finding: number } // both places, in the text
  | { ask: 'timeline'; run: number; finding: number }
  | { ask: 'again'; run: number }
  | { ask: 'cancel'; run: number }
  | { ask: 'export'; run: number }
  | { ask: 'forget' }
  | { ask: 'rule'; rule: string };

/** What the extension tells the panel. */
export type ToPanel =
  | { tell: 'runs'; runs: Run[] }
  | { tell: 'select'; run: number }
  | { tell: 'timeline'; run: number; finding: number; timeline: Timeline | null; failed: string };
