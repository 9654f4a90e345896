import { tracingChannel } from 'node:diagnostics_channel';
import type { Locker } from './library.ts';
import type { Pace } from './run-interleaved.ts';
import { shuffled } from './shuffled.ts';
import { percentile } from './statistics.ts';
import type { Promised, Trial, TrialContestant } from './trial.ts';
import {
  type Change,
  copyPackage,
  type DistributionFiles,
  installedFiles,
  OTHER_CHANNELS,
  WITHOUT_LOOKS,
} from './package-copy.ts';

/** Opens the locks of these files: those that are installed, or a copy of them. */
export type OpenFrom = (files: DistributionFiles, port: number) => Promise<Locker>;

const RATIO = 'time of a pair, to the copy';
const COPY = 'µs a pair, copy';
const OURS = 'µs a pair';
const unheard = 'without a subscriber, beside a copy without channels';
const heard = 'with a subscriber to all channels, beside a copy that it does not hear';

/**
 * The package and a copy of it in one process, some pairs of one and then some of the other, in a new order each time. Two processes of
 * one program differ by more than what is measured here, for as long as they live: by where their code and their heap lie. For the same
 * reason a subscriber does not come and go: with each change the code that looks at the channels is compiled anew. The median over the
 * turns of a round, because another program that takes the processor does so in one turn of a hundred.
 */
function contestant(
  name: string,
  change: Change,
  openFrom: OpenFrom,
  pairsAtOnce: number,
  prepare: () => void = () => undefined,
): TrialContestant {
  return {
    name,
    open: async (port) => {
      prepare();
      const copy = copyPackage(change);
      const [ours, its] = await Promise.all([openFrom(installedFiles, port), openFrom(copy.files, port)]);
      const timeOf = async (locker: Locker): Promise<number> => {
        const start = performance.now();
        await locker.loop('pair', pairsAtOnce);
        return ((performance.now() - start) * 1000) / pairsAtOnce;
      };
      return {
        round: async (roundMs) => {
          const turns: Record<string, number>[] = [];
          const start = performance.now();
          while (performance.now() - start < roundMs) {
            const us = new Map<Locker, number>();
            for (const locker of shuffled([ours, its], Math.random)) us.set(locker, await timeOf(locker));
            const [oursUs = NaN, itsUs = NaN] = [us.get(ours), us.get(its)];
            turns.push({ [COPY]: itsUs, [OURS]: oursUs, [RATIO]: oursUs / itsUs });
          }
          const median = (figure: string) =>
            percentile(
              turns.map((turn) => turn[figure] ?? NaN),
              0.5,
            );
          return { [COPY]: median(COPY), [OURS]: median(OURS), [RATIO]: median(RATIO) };
        },
        close: async () => {
          await Promise.all([ours.close(), its.close()]);
          copy.remove();
        },
      };
    },
  };
}

function subscribeToAll(): void {
  let events = 0;
  const hear = (): void => void events++;
  const subscriber = { start: hear, end: hear, asyncStart: hear, asyncEnd: hear, error: hear };
  for (const what of ['acquire', 'hold', 'renewal']) tracingChannel(`holdfast:${what}`).subscribe(subscriber);
}

function promiseOf(name: string, text: string, atMost: number | undefined): readonly Promised[] {
  if (atMost === undefined) return [];
  return [
    { text, of: [name], value: (figureOf) => figureOf(name, RATIO), bound: { atMost }, over: 'median' },
  ];
}

/** What it costs that a program can look at its locks, and what it costs to look. */
export function costOfTracing(
  engine: string,
  openFrom: OpenFrom,
  pairsAtOnce: number,
  pace: { readonly full: Pace; readonly quick: Pace },
  atMost: { readonly unheard?: number; readonly heard?: number },
): Trial {
  return {
    name: 'cost of the tracing channels',
    engine,
    contestants: [
      contestant(unheard, WITHOUT_LOOKS, openFrom, pairsAtOnce),
      contestant(heard, OTHER_CHANNELS, openFrom, pairsAtOnce, subscribeToAll),
    ],
    columns: [
      { figure: COPY, digits: 2 },
      { figure: OURS, digits: 2 },
      { figure: RATIO, digits: 3 },
    ],
    promises: [
      ...promiseOf(
        unheard,
        'time of a pair without a subscriber, to a copy without channels',
        atMost.unheard,
      ),
      ...promiseOf(heard, 'time of a pair with a subscriber, to one without', atMost.heard),
    ],
    pace,
    story: {
      about:
        'A lock that no other caller wants is taken and given back, by the package and by a copy of it that is loaded beside it, in one ' +
        'process: a copy in which every look for a subscriber is a constant, and one whose channels have other names than those that a ' +
        'subscriber of the process listens to. 1 means that it costs nothing.',
      figure: RATIO,
      better: 'less',
      ours: heard,
    },
  };
}
