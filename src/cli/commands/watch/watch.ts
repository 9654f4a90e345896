import { systemClock } from '../../../core/time/clock.ts';
import type { Sighting } from '../../../spi/engine/inspector.ts';
import { readDuration } from '../../duration.ts';
import type { Command } from '../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { Poller } from '../../../core/time/poller.ts';
import { withLocks } from '../../queries/with-locks.ts';
import type { InspectedLocks } from '../../open-locks.ts';
import { withoutSecrets } from '../../output/output.ts';
import { UsageError } from '../../usage-error.ts';
import { Ages } from './ages.ts';
import { frame, type Scene } from './frame.ts';
import { pipeScreen, type Screen, terminalScreen } from './screen.ts';

const USUAL_MS = 1_000;
const LEAST_MS = 50;
const KEYS_THAT_END: ReadonlySet<string> = new Set(['q', 'Q', '\u0003', '\u0004', '\u001b']);

/** A live table of what is held. */
export const watch: Command = ({ words, options }, address) => {
  const [prefix = '', more] = words;
  if (more !== undefined) throw new UsageError('watch takes one prefix at most.');
  const every = options.get('every');
  const everyMs = every === undefined ? USUAL_MS : Math.max(LEAST_MS, readDuration(every, '--every'));
  return withLocks(address, async (locks) => {
    const isLive = process.stdout.isTTY && !options.has('once');
    const screen = isLive ? terminalScreen(process.stdout) : pipeScreen(process.stdout);
    const poller = new Poller(systemClock);
    const end = endOnKeyOrSignal(poller, isLive);
    try {
      await drawAgain({
        locks,
        prefix,
        screen,
        poller: poller,
        everyMs,
        isOver: () => end.over || options.has('once'),
      });
    } finally {
      end.stop();
      screen.close();
    }
    return EXIT.ok;
  });
};

interface Watching {
  readonly locks: InspectedLocks;
  readonly prefix: string;
  readonly screen: Screen;
  readonly poller: Poller;
  readonly everyMs: number;
  readonly isOver: () => boolean;
}

async function drawAgain({ locks, prefix, screen, poller: nudge, everyMs, isOver }: Watching): Promise<void> {
  const ages = new Ages();
  let seen: readonly Sighting[] = [];
  let drawn = '';
  const unwatch = await locks.inspector.changes(() => nudge.hint());
  try {
    for (let looks = 0; ; looks++) {
      let trouble: string | undefined;
      try {
        seen = await listSightings(locks, prefix);
      } catch (error) {
        // A failure of the first look is an error; later looks may fail for a while.
        if (looks === 0) throw error;
        trouble = withoutSecrets(error instanceof Error ? error.message : String(error));
      }
      const now = systemClock.epochNow();
      ages.see(seen, now);
      const scene: Scene = { engine: locks.label, prefix, seen, ages, now, trouble };
      const what = screen.width === undefined ? outlineOf(scene) : String(looks);
      if (what !== drawn) screen.draw(frame(scene, screen.width, screen.height));
      drawn = what;
      if (isOver()) return;
      await nudge.wait(everyMs);
      if (isOver()) return;
    }
  } finally {
    unwatch();
  }
}

async function listSightings({ inspector }: InspectedLocks, prefix: string): Promise<readonly Sighting[]> {
  const seen: Sighting[] = [];
  for await (const sighting of inspector.list({ prefix })) seen.push(sighting);
  return seen;
}

/** What must differ before a pipe gets a new table: passing time alone does not count. */
function outlineOf({ seen, trouble }: Scene): string {
  const all = seen.map(({ kind, name, holders, waiters }) => [
    kind,
    name,
    holders.map(({ owner, side, fence }) => `${owner} ${side} ${fence}`),
    [waiters.count, waiters.clients],
  ]);
  return JSON.stringify([all, trouble]);
}

/** Ends by a key or a signal, and leaves the terminal as it was. */
function endOnKeyOrSignal(poller: Poller, isLive: boolean): { readonly over: boolean; stop(): void } {
  let over = false;
  const finish = (): void => {
    over = true;
    poller.hint();
  };
  const redraw = (): void => poller.hint();
  const readKeys = (keys: Buffer): void => {
    if (Array.from(keys.toString('utf8')).some((key) => KEYS_THAT_END.has(key))) finish();
  };
  const { stdin, stdout } = process;
  const hasKeys = isLive && stdin.isTTY;
  if (hasKeys) stdin.setRawMode(true).on('data', readKeys).resume();
  if (isLive) stdout.on('resize', redraw);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, finish);
  return {
    get over() {
      return over;
    },
    stop: () => {
      if (hasKeys) stdin.setRawMode(false).pause();
      stdout.off('resize', redraw);
    },
  };
}
