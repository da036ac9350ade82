// This file defines the runtime panel: the runs, the races of the one in front, and what is known
// of the race that is selected. It keeps no data but what is selected; the extension has the rest.

import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { FromPanel, Place, Run, Timeline, ToPanel } from '../src/protocol';
import { counted, fitting, lines, racesOf, times, triple, values, type Filter, type Race } from './races';
import { Drawing } from './timeline';
import './panel.css';

interface State {
  run: number;
  race: string;
  filter: Filter;
}

declare function acquireVsCodeApi(): {
  postMessage(message: FromPanel): void;
  getState(): State | undefined;
  setState(state: State): void;
};

const editor = acquireVsCodeApi();
const initial: State = { run: 0, race: '', filter: { kind: '', rule: '', detector: '' } };

type TimelineState = { of: string; timeline: Timeline | null; failed: string } | undefined;

function Panel() {
  const [runs, setRuns] = useState<Run[] | undefined>();
  const [state, setState] = useState<State>(editor.getState() ?? initial);
  const [timeline, setTimeline] = useState<TimelineState>();
  useEffect(() => {
    const listen = ({ data }: MessageEvent<ToPanel>) => {
      switch (data.tell) {
        case 'runs':
          setRuns(data.runs);
          return;
        case 'select':
          setState((now) => ({ ...now, run: data.run, race: '' }));
          return;
        case 'timeline':
          setTimeline({ of: `${data.run} ${data.finding}`, timeline: data.timeline, failed: data.failed });
      }
    };
    window.addEventListener('message', listen);
    editor.postMessage({ ask: 'runs' });
    return () => {
      window.removeEventListener('message', listen);
    };
  }, []);
  useEffect(() => {
    editor.setState(state);
  }, [state]);
  const run = runs?.find((one) => one.id === state.run) ?? runs?.[0];
  const races = run ? racesOf(run, state.filter) : [];
  const race = races.find((one) => one.key === state.race);
  const drawn = run && race?.finding.witnessed && run.kind !== 'report' ? `${run.id} ${race.finding.index}` : '';
  useEffect(() => {
    // Also where the page was loaded anew with a race selected.
    if (run && race && drawn !== '') {
      editor.postMessage({ ask: 'timeline', run: run.id, finding: race.finding.index });
    }
  }, [drawn]);

  if (!runs) {
    return <p role="status">Loading…</p>;
  }
  if (!run) {
    return (
      <main>
        <h1>Runs on the simulator</h1>
        <p role="status">There are no runs yet. “Simulate” above a kernel or above main makes one.</p>
      </main>
    );
  }
  const select = (chosen: Race) => {
    setState({ ...state, run: run.id, race: chosen.key });
    editor.postMessage({ ask: 'show', run: run.id, finding: chosen.finding.index });
    editor.postMessage({ ask: 'go', place: chosen.finding.second, focus: false });
  };
  return (
    <main>
      <h1>Runs on the simulator</h1>
      <RunList
        runs={runs}
        chosen={run}
        choose={(id) => {
          setState({ ...state, run: id, race: '' });
        }}
      />
      <Actions run={run} />
      <Summary run={run} />
      {run.findings.length > 0 && (
        <>
          <Filters
            run={run}
            filter={fitting(run, state.filter)}
            change={(filter) => {
              setState({ ...state, filter });
            }}
          />
          <RaceList races={races} chosen={race} select={select} />
        </>
      )}
      {race && (
        <Detail run={run} race={race} timeline={drawn !== '' && timeline?.of === drawn ? timeline : undefined} />
      )}
    </main>
  );
}

const states = { running: 'running', done: 'done', failed: 'failed', cancelled: 'cancelled' };

function RunList({ runs, chosen, choose }: { runs: Run[]; chosen: Run; choose: (id: number) => void }) {
  return (
    <ul class="runs" role="listbox" aria-label="Runs" onKeyDown={walk}>
      {runs.map((run) => (
        <li
          key={run.id}
          role="option"
          aria-selected={run === chosen}
          tabindex={run === chosen ? 0 : -1}
          onClick={() => {
            choose(run.id);
          }}
          onFocus={() => {
            choose(run.id);
          }}
        >
          <span class={`state ${run.state}`}>{states[run.state]}</span> <span class="title">{run.title}</span>{' '}
          <span class="quiet">
            {new Date(run.started).toLocaleTimeString()}
            {run.state === 'done' && `, ${run.seconds.toFixed(1)} s`}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Moves the focus among the options of a list with the arrow keys, Home and End. */
function walk(event: KeyboardEvent): void {
  const list = event.currentTarget as HTMLElement;
  const options = [...list.querySelectorAll<HTMLElement>('[role=option]')];
  const at = options.indexOf(event.target as HTMLElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: options.length - 1 }[event.key];
  if (to !== undefined && options[to]) {
    event.preventDefault();
    options[to].focus();
  }
}

function Actions({ run }: { run: Run }) {
  const running = run.state === 'running';
  const action = (title: string, message: FromPanel, enabled = true) => (
    <button
      disabled={!enabled}
      onClick={() => {
        editor.postMessage(message);
      }}
    >
      {title}
    </button>
  );
  return (
    <div class="actions" role="toolbar" aria-label="Actions on the run">
      {action(run.kind === 'report' ? 'Read again' : 'Simulate again', { ask: 'again', run: run.id }, !running)}
      {action('Cancel', { ask: 'cancel', run: run.id }, running)}
      {action('Export SARIF', { ask: 'export', run: run.id }, run.state === 'done')}
      {action('Forget all', { ask: 'forget' }, !running)}
    </div>
  );
}

function Summary({ run }: { run: Run }) {
  return (
    <section aria-label="The run" class="summary">
      <p role="status" class={run.state === 'failed' ? 'failed' : ''}>
        {run.state === 'running' ? 'running…' : run.message}
      </p>
      {run.launches > 0 && (
        <p class="quiet">
          {counted(run.launches, 'launch', 'launches')} in {counted(run.schedules, 'schedule', 'schedules')},{' '}
          {counted(run.instructions, 'warp instruction', 'warp instructions')};{' '}
          {run.detectors.length > 0 ? `watched by ${run.detectors.join(', ')}` : 'watched by nobody'}
        </p>
      )}
      {run.problems.length > 0 && (
        <ul aria-label="Problems" class="problems">
          {run.problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Filters({ run, filter, change }: { run: Run; filter: Filter; change: (filter: Filter) => void }) {
  const menu = (name: keyof Filter) => (
    <label>
      {name}
      <select
        value={filter[name]}
        onChange={(event) => {
          change({ ...filter, [name]: (event.target as HTMLSelectElement).value });
        }}
      >
        <option value="">any</option>
        {values(run, (finding) => finding[name]).map((value) => (
          <option key={value}>{value}</option>
        ))}
      </select>
    </label>
  );
  return (
    <div class="filters" role="group" aria-label="Filter the races">
      {menu('kind')}
      {menu('rule')}
      {menu('detector')}
    </div>
  );
}

function RaceList({ races, chosen, select }: { races: Race[]; chosen: Race | undefined; select: (race: Race) => void }) {
  const kernels = [...new Set(races.map((race) => race.kernel))];
  const first = chosen ?? races[0];
  if (races.length === 0) {
    return <p role="status">No race passes the filter.</p>;
  }
  return (
    <div class="races" role="listbox" aria-label="Races" onKeyDown={walk}>
      {kernels.map((kernel) => (
        <div key={kernel} role="group" aria-label={`Kernel ${kernel}`}>
          <h2 aria-hidden="true">{kernel}</h2>
          {races
            .filter((race) => race.kernel === kernel)
            .map((race) => (
              <div
                key={race.key}
                role="option"
                aria-selected={race === chosen}
                tabindex={race === first ? 0 : -1}
                class={race.finding.stale ? 'stale' : ''}
                onClick={() => {
                  select(race);
                }}
                onKeyDown={(event) => {
                  if (event.key === 'Enter' || event.key === ' ') {
                    event.preventDefault();
                    select(race);
                  }
                }}
              >
                <span class={`severity ${race.finding.severity}`}>{race.finding.severity}</span>
                <span class="title">
                  {race.finding.rule}, {lines(race.finding)}
                </span>
                <span class="quiet">
                  {[race.finding.variable, race.finding.kind, times(race.count), race.finding.stale ? 'before the last change' : '']
                    .filter((part) => part !== '')
                    .join(' · ')}
                </span>
              </div>
            ))}
        </div>
      ))}
    </div>
  );
}

function Detail({ run, race, timeline }: { run: Run; race: Race; timeline: TimelineState }) {
  const { finding } = race;
  return (
    <section class="detail" aria-label="The selected race">
      <h2>
        {finding.rule}
        {finding.rule !== 'barrier-divergence' && (
          <>
            {' '}
            on {finding.space} {finding.variable === '' ? 'memory' : <code>{finding.variable}</code>}
          </>
        )}
      </h2>
      <p class="message">
        <Prose text={`${finding.message}.`} />
      </p>
      <p>
        <Prose text={finding.why} />
      </p>
      {finding.mend !== '' && (
        <p>
          <span class="title">To mend it:</span> <Prose text={finding.mend} />
        </p>
      )}
      <p>
        <button
          onClick={() => {
            editor.postMessage({ ask: 'rule', rule: finding.rule });
          }}
        >
          Open the page of {finding.rule}
        </button>
      </p>
      <table aria-label="The two threads">
        <thead>
          <tr>
            <th scope="col">block</th>
            <th scope="col">thread</th>
            <th scope="col">access</th>
            <th scope="col">place</th>
          </tr>
        </thead>
        <tbody>
          {[finding.first, finding.second].map((site, i) => (
            <tr key={i}>
              <td data-name="block">{site.thread ? triple(site.thread.block) : '?'}</td>
              <td data-name="thread">{site.thread ? triple(site.thread.thread) : '?'}</td>
              <td data-name="access">{site.access}</td>
              <td data-name="place">
                <PlaceLink place={site} />
                {site.calls.map((call, k) => (
                  <span key={k} class="quiet">
                    {' '}
                    called at <PlaceLink place={call} />
                  </span>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {finding.witnessed && (
        <p class="quiet">
          Grid {triple(finding.grid)}, block {triple(finding.block)}
        </p>
      )}
      {run.detectors.length > 0 && <Detectors run={run} race={race} />}
      {run.kind !== 'report' && finding.witnessed && <History timeline={timeline} />}
    </section>
  );
}

/** A text with code between backticks. */
function Prose({ text }: { text: string }) {
  return <>{text.split('`').map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part))}</>;
}

function PlaceLink({ place }: { place: Place }) {
  const text = `${place.file}:${place.line}`;
  if (!place.range) {
    return <span class="quiet">{text} (changed)</span>;
  }
  return (
    <>
      <button
        class="link"
        onClick={() => {
          editor.postMessage({ ask: 'go', place, focus: true });
        }}
      >
        {text}
      </button>{' '}
      <code>{place.text}</code>
    </>
  );
}

function Detectors({ run, race }: { run: Run; race: Race }) {
  return (
    <table aria-label="Who sees this race">
      <thead>
        <tr>
          <th scope="col">detector</th>
          <th scope="col">sees this race</th>
          <th scope="col">calls it</th>
        </tr>
      </thead>
      <tbody>
        {run.detectors.map((name) => {
          const own = race.findings.filter((finding) => finding.detector === name);
          const count = own.reduce((sum, finding) => sum + finding.count, 0);
          return (
            <tr key={name}>
              <th scope="row" data-name="detector">
                {name}
              </th>
              <td data-name="sees this race:">{own.length > 0 ? `yes, ${times(count)}` : 'no'}</td>
              <td data-name="calls it">{[...new Set(own.map((finding) => `${finding.rule}, ${finding.kind}`))].join('; ')}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function History({ timeline }: { timeline: TimelineState }) {
  if (!timeline) {
    return <p role="status">Running the two threads again…</p>;
  }
  if (!timeline.timeline) {
    return <p role="status">{timeline.failed === '' ? 'The two threads did not meet again.' : timeline.failed}</p>;
  }
  const { space, variable, address } = timeline.timeline;
  return (
    <>
      <h3>What the two threads did</h3>
      <p class="quiet">
        {space} memory, <code>{variable}</code>, address <code>{address}</code>
      </p>
      <div class="drawing">
        <Drawing
          timeline={timeline.timeline}
          go={(step) => {
            editor.postMessage({ ask: 'go', place: step, focus: true });
          }}
        />
      </div>
    </>
  );
}

const root = document.getElementById('panel');
if (root) {
  render(<Panel />, root);
}
