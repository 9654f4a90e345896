import { useEffect, useRef } from 'preact/hooks';
import {
  announcement,
  connection,
  type Connection,
  engine,
  held,
  losses,
  waiting,
} from '../live/board-state.ts';

/** What is wrong is said in words: a colour alone is nothing to those who do not see it. */
function stateText(state: Connection): string {
  switch (state.is) {
    case 'opening':
      return 'Connecting…';
    case 'live':
      return 'Live';
    case 'away':
      return 'No connection, trying again…';
    case 'locked':
      return 'Token needed';
    case 'trouble':
      return `The store does not answer (${state.code})`;
  }
}

export function Heading() {
  const state = connection.value;
  const text = stateText(state);
  const last = useRef(text);
  useEffect(() => {
    if (last.current !== text && state.is !== 'opening') announcement.value = text;
    last.current = text;
  }, [text]);
  return (
    <header>
      <h1>
        Locks <span class="engine">{engine}</span>
      </h1>
      <dl class="sums">
        <Sum name="held" value={held.value} />
        <Sum name="waiting" value={waiting.value} />
        <Sum name="ran out" value={losses.value} title="Leases that ran out since this page was opened" />
      </dl>
      <p class={`state ${state.is}`}>
        <span class="dot" aria-hidden="true" />
        {text}
      </p>
    </header>
  );
}

function Sum({ name, value, title }: { name: string; value: number; title?: string }) {
  return (
    <div title={title}>
      <dt>{name}</dt>
      <dd>{value.toLocaleString('en')}</dd>
    </div>
  );
}
