import type {
  Description,
  DescriptionOf,
  HolderSighting,
  Kind,
  PlaceInLine,
} from '../../../spi/engine/inspector.ts';
import type { Command } from '../command.ts';
import { holderName, programName } from '../../../spi/holder-name.ts';
import { showDuration } from '../../duration.ts';
import { EXIT } from '../../exit-codes.ts';
import { print, say } from '../../output/output.ts';
import { wordOf } from '../../kind-words.ts';
import { lookUp, readKind, readName } from '../../queries/lookup.ts';
import { showWaiting } from '../../queries/show-waiting.ts';
import { sightingJson } from '../../queries/sighting-json.ts';
import { printable } from '../../queries/sighting-table.ts';
import { withLocks } from '../../queries/with-locks.ts';

/** Shows all there is to know about one name. */
export const inspect: Command = (given, address) => {
  const name = readName(given, 'inspect');
  const kind = readKind(given);
  return withLocks(address, async (locks) => {
    const found = await lookUp(locks, name, kind);
    for (const seen of found)
      print(given.options.has('json') ? sightingJson(seen) : described(seen).join('\n'));
    if (found.length > 0) return EXIT.ok;
    const hint =
      kind === undefined && locks.traits.keyspace === 'shared'
        ? '; latches and semaphores without holders are bare numbers here: --as semaphore, --as latch'
        : '';
    // Without a word, a reader who forgot the address takes a lock that is held in Redis for free.
    const where =
      address.kind === 'here' ? ' in the file of this user; --url or HOLDFAST_URL names another store' : '';
    say(`nothing of that name is held or waited for${where}${hint}`);
    return EXIT.no;
  });
};

function described(seen: Description): readonly string[] {
  return [
    `${wordOf(seen.kind)} ${printable(seen.name)}`,
    ...seen.holders.flatMap(holderLines),
    ...ownLines(seen),
    ...lineOf(seen),
    `  waiting   ${waitingLine(seen)}`,
  ];
}

function holderLines(holder: HolderSighting): readonly string[] {
  const { owner, program, client, side, fence, remainingMs, count, heldForMs } = holder;
  const made = program === 'holdfast' ? '' : ` (${programName(program)})`;
  return [
    // The whole id where it has no name: `release --owner` takes it.
    ...(client === undefined
      ? [`  held by   ${printable(owner)}${made}`]
      : [
          `  held by   ${printable(holderName(holder))}`,
          `    command ${printable(client.command)}`,
          `    owner   ${printable(owner)}`,
        ]),
    ...(heldForMs === undefined ? [] : [`    age     ${showDuration(heldForMs)}`]),
    ...(side === undefined ? [] : [`    side    ${side}`]),
    ...(count === 1 ? [] : [`    count   ${count}`]),
    `    fence   ${fence ?? 'none'}`,
    `    lease   ${Number.isFinite(remainingMs) ? `${showDuration(remainingMs)} left` : 'without an end'}`,
  ];
}

/** Says so where the store does not know who waits: without a word, a list that is missing reads as one that is empty. */
function lineOf({ line, waiters }: Description): readonly string[] {
  if (line.order === 'turns')
    return line.places.map((place, at) => placeLine(at === 0 ? 'next' : `${at + 1}.`, place));
  if (line.order === 'any') return line.places.map((place) => placeLine('any', place));
  return showWaiting(waiters) === '0' ? [] : ['  next      unknown: the store does not know who waits'];
}

function placeLine(turn: string, place: PlaceInLine): string {
  const { owner, client, side, permits, lapsesInMs, count } = place;
  const parts = [
    client === undefined ? printable(owner) : `${printable(holderName(place))}, ${printable(owner)}`,
    ...(side === undefined ? [] : [side]),
    ...(permits === undefined ? [] : [`${permits} permit${permits === 1 ? '' : 's'}`]),
    ...(count === 1 ? [] : [`${count} together`]),
  ];
  return `  ${turn.padEnd(10)}${parts.join(', ')}${lapseOf(lapsesInMs)}`;
}

/** Nothing of a ticket that stands until its session ends. */
function lapseOf(lapsesInMs: number | undefined): string {
  if (lapsesInMs === undefined) return ' (lapsed)';
  return Number.isFinite(lapsesInMs) ? `, lapses in ${showDuration(Math.max(0, lapsesInMs))}` : '';
}

const permitsLine = ({ available, permits }: { readonly available: number; readonly permits: number }) => [
  Number.isFinite(permits)
    ? `  available ${available} of ${permits}`
    : '  available not known: only other programs hold it, and they do not store the number',
];

/** What is shown of a kind beside its holders and waiters; nothing of a kind that is not named here. */
const DETAILS: { readonly [K in Kind]?: (seen: DescriptionOf<K>) => readonly string[] } = {
  semaphore: permitsLine,
  permitSemaphore: permitsLine,
  latch: ({ count }) => [`  count     ${count}`],
  barrier: ({ parties, generation, broken }) => [
    `  parties   ${parties}`,
    `  round     ${generation}`,
    ...(broken === undefined ? [] : [`  broken    ${broken}`]),
  ],
  election: ({ value }) => [`  value     ${JSON.stringify(value)}`],
  monitor: ({ state, conditions }) => [
    `  state     ${JSON.stringify(state)}`,
    ...Object.entries(conditions).map(([name, count]) => `  on ${printable(name)}: ${count}`),
  ],
};

function ownLines(seen: Description): readonly string[] {
  const lines = DETAILS[seen.kind] as ((description: Description) => readonly string[]) | undefined;
  return lines?.(seen) ?? [];
}

function waitingLine({ waiters }: Description): string {
  const shown = showWaiting(waiters);
  return waiters.counts === 'fleet'
    ? `${shown} in the fleet`
    : `${shown} listening; each may have many waiters`;
}
