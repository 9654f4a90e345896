import { useEffect, useRef, useState } from 'preact/hooks';
import type { SentDescription, SentLine } from '../../src/dashboard/frames.ts';
import { holdKey } from '../../src/dashboard/hold-key.ts';
import { programName } from '../../src/spi/holder-name.ts';
import { historyOf, now, openKey, release } from '../live/board-state.ts';
import { type HolderRow, type HoldRow, waitingOf } from '../live/hold-rows.ts';
import { describeRow } from '../live/requests.ts';
import { duration, happeningText, holderText, kindText, plain, waitingText } from '../texts.ts';
import { Age, Lease } from './lock-row.tsx';
import { ReleaseDialog } from './release-dialog.tsx';

const AGAIN_MS = 2_000;

/** One lock: its holders, its line, and what has happened to it since the page was opened. */
export function Details({ name: key, row }: { name: string; row: HoldRow | undefined }) {
  const [kind = '', name = ''] = key.split(/\n(.*)/s);
  const heading = useRef<HTMLHeadingElement>(null);
  const [described, setDescribed] = useState<SentDescription | null>(null);
  const [ending, setEnding] = useState<HolderRow>();
  // The last row: the dialog goes on about a hold that may be gone by now.
  const last = useRef(row);
  if (row !== undefined) last.current = row;

  useEffect(() => heading.current?.focus(), []);
  useEffect(() => {
    if (row === undefined) return setDescribed(null);
    let isOver = false;
    const look = (): void => {
      describeRow(row).then(
        (seen) => void (isOver || setDescribed(seen)),
        // The heading says that there is no connection.
        () => undefined,
      );
    };
    look();
    const timer = setInterval(look, AGAIN_MS);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [row]);

  const close = (): void => {
    openKey.value = undefined;
  };
  return (
    <section
      class="details"
      aria-label={`${kindText(kind)} ${plain(name)}`}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && ending === undefined) close();
      }}
    >
      <div class="title">
        <h2 tabIndex={-1} ref={heading}>
          <bdi>{plain(name)}</bdi> <span class="kind">{kindText(kind)}</span>
        </h2>
        <button type="button" class="close" aria-label="Close" onClick={close}>
          ×
        </button>
      </div>
      {row === undefined || row.holders.length === 0 ? (
        <p class="none">Free at this moment.</p>
      ) : (
        <ul class="holders">
          {row.holders.map((holder) => (
            <Holder key={holdKey(holder)} holder={holder} onEnd={() => setEnding(holder)} />
          ))}
        </ul>
      )}
      <Numbers described={described} />
      {row !== undefined && waitingOf(row) > 0 && <Waiters row={row} line={described?.line} />}
      <History name={key} />
      {ending !== undefined && last.current !== undefined && (
        <ReleaseDialog row={last.current} holder={ending} onClose={() => setEnding(undefined)} />
      )}
    </section>
  );
}

function Holder({ holder, onEnd }: { holder: HolderRow; onEnd: () => void }) {
  const { client, label, program, owner, fence, side, count } = holder;
  return (
    <li>
      <p class="who">
        {side !== undefined && <span class="side">{side}</span>}
        <bdi>{holderText(holder)}</bdi>
        {count > 1 && ` ×${count}`}
      </p>
      <dl>
        <Field name="program">
          {client === undefined ? programName(program) : `${plain(client.command)}, ${programName(program)}`}
        </Field>
        {client !== undefined && (
          <Field name="process">
            {client.pid} on {plain(client.host)}
          </Field>
        )}
        {label !== undefined && <Field name="owner label">{plain(label)}</Field>}
        <Field name="held for">
          <Age holder={holder} />
        </Field>
        <Field name="lease left">
          <Lease holder={holder} />
        </Field>
        <Field name="fence">{fence ?? 'none'}</Field>
        <Field name="owner">
          <code>{plain(owner)}</code>
        </Field>
      </dl>
      {release.value !== 'no' && (
        <button type="button" class="danger" onClick={onEnd}>
          End this hold…
        </button>
      )}
    </li>
  );
}

function Field({ name, children }: { name: string; children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** What only some kinds have. */
function Numbers({ described }: { described: SentDescription | null }) {
  if (described === null) return null;
  const { available, permits, count, parties, generation, broken, conditions } = described;
  const fields = Object.entries({
    available: available === undefined ? undefined : `${available ?? '?'} of ${permits ?? '?'}`,
    count,
    parties,
    generation,
    broken,
    ...Object.fromEntries(
      Object.entries(conditions ?? {}).map(([name, waiters]) => [`waiting for ${plain(name)}`, waiters]),
    ),
  }).filter(([, value]) => value !== undefined);
  if (fields.length === 0) return null;
  return (
    <dl class="numbers">
      {fields.map(([name, value]) => (
        <Field key={name} name={name}>
          {String(value)}
        </Field>
      ))}
    </dl>
  );
}

function Waiters({ row, line }: { row: HoldRow; line: SentLine | undefined }) {
  return (
    <>
      <h3>Waiting: {waitingText(row)}</h3>
      {line !== undefined && <Line line={line} row={row} />}
    </>
  );
}

/** An ordered list only where the order is that of their turns: a screen reader says the numbers. */
function Line({ line, row }: { line: SentLine; row: HoldRow }) {
  if (line.order === 'unknown') return <p class="none">The store does not know who waits.</p>;
  const { order, places } = line;
  const List = order === 'turns' ? 'ol' : 'ul';
  const unnamed = waitingOf(row) - places.reduce((sum, { count }) => sum + count, 0);
  return (
    <>
      {order === 'any' && <p class="none">In no order: the first that asks once it is free gets it.</p>}
      <List class="line">
        {places.map((place) => (
          <li key={place.owner}>
            {place.side !== undefined && <span class="side">{place.side}</span>}
            <bdi>{holderText(place)}</bdi>
            {place.permits !== undefined && place.permits > 1 && `, ${place.permits} permits`}
            {place.count > 1 && ` ×${place.count}`}
          </li>
        ))}
      </List>
      {unnamed > 0 && places.length > 0 && <p class="none">and {unnamed.toLocaleString('en')} more</p>}
    </>
  );
}

function History({ name }: { name: string }) {
  const entries = historyOf(name);
  return (
    <>
      <h3>Since this page was opened</h3>
      {entries.length === 0 ? (
        <p class="none">Nothing has changed.</p>
      ) : (
        <ol class="history">
          {entries.toReversed().map((entry, at) => (
            <li
              key={entries.length - at}
              class={entry.what === 'ran out' || entry.what === 'taken' ? 'loss' : ''}
            >
              <span class="ago">{duration(now.value - entry.at)} ago</span> {happeningText(entry)}
            </li>
          ))}
        </ol>
      )}
    </>
  );
}
