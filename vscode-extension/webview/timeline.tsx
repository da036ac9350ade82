// This file draws what two threads did as a time line: one column for each thread, time goes
// down. Each step leads to its line, by pointer or by keyboard.

import type { Step, Timeline } from '../src/protocol';
import { triple } from './races';

const row = 34; // the units of the drawing are CSS pixels
const top = 56;
const columns = [150, 450];
const width = 600;

export function Drawing({ timeline, go }: { timeline: Timeline; go: (step: Step) => void }) {
  const height = top + timeline.steps.length * row + 16;
  const racing = timeline.steps.flatMap((step, i) => (step.race ? [i] : []));
  return (
    <svg
      class="timeline"
      viewBox={`0 0 ${width} ${height}`}
      role="group"
      aria-label={`Time line of two threads; time goes down; ${timeline.steps.length} steps`}
    >
      {[timeline.first, timeline.second].map((thread, i) => (
        <g key={i}>
          <text class="thread" x={columns[i]} y="18" text-anchor="middle">
            thread {triple(thread.thread)}
          </text>
          <text class="quiet" x={columns[i]} y="36" text-anchor="middle">
            block {triple(thread.block)}
          </text>
          <line class="life" x1={columns[i]} x2={columns[i]} y1="46" y2={height - 8} />
        </g>
      ))}
      {racing.length === 2 && <Unordered steps={timeline.steps} racing={racing} />}
      {timeline.steps.map((step, i) => (
        <Dot key={i} step={step} y={top + i * row + row / 2} go={go} />
      ))}
    </svg>
  );
}

/** The line between the two accesses that nothing orders. */
function Unordered({ steps, racing }: { steps: Step[]; racing: number[] }) {
  const [from, to] = racing.map((i) => ({ x: columns[steps[i].second ? 1 : 0], y: top + i * row + row / 2 }));
  return (
    <g class="unordered" aria-hidden="true">
      <line x1={from.x} y1={from.y} x2={to.x} y2={to.y} />
      <text x={(from.x + to.x) / 2} y={(from.y + to.y) / 2 - 6} text-anchor="middle">
        nothing orders them
      </text>
    </g>
  );
}

function Dot({ step, y, go }: { step: Step; y: number; go: (step: Step) => void }) {
  const x = columns[step.second ? 1 : 0];
  const left = !step.second;
  const where = step.line > 0 ? `line ${step.line}` : '';
  const label = `${step.second ? 'second' : 'first'} thread: ${step.what}${step.race ? ', which races' : ''}, ${where} ${step.text}`;
  const open = () => {
    go(step);
  };
  return (
    <g
      class={`step ${step.race ? 'race' : step.sync ? 'sync' : 'access'}`}
      role="button"
      tabindex={0}
      aria-label={label}
      onClick={open}
      onKeyDown={(event: KeyboardEvent) => {
        if (event.key === 'Enter' || event.key === ' ') {
          event.preventDefault();
          open();
        }
      }}
    >
      <title>{step.values === '' ? step.text : `${step.text}   (${step.values})`}</title>
      <rect class="target" x={left ? 0 : width / 2} y={y - row / 2} width={width / 2} height={row} />
      {step.sync ? <rect class="mark" x={x - 22} y={y - 3} width="44" height="6" rx="3" /> : <circle class="mark" cx={x} cy={y} r="7" />}
      <text x={left ? x - 28 : x + 28} y={y - 2} text-anchor={left ? 'end' : 'start'}>
        {step.what}
      </text>
      <text class="quiet" x={left ? x - 28 : x + 28} y={y + 12} text-anchor={left ? 'end' : 'start'}>
        {where}
      </text>
    </g>
  );
}
