import { tracingChannel } from 'node:diagnostics_channel';
import type { Locker } from './library.ts';
import type { Pace } from './run-interleaved.ts';
import { shuffled } from './shuffled.ts';
import { percentile } from './statistics.ts';
import type { Promised, Trial, TrialContestant } from './trial.ts';
import { type DistributionFiles, copyWithoutChannels, installedFiles } from './without-channels.ts';

/** Opens the locks of these files: those that are installed, or a copy of them. */
export type OpenFrom = (files: DistributionFiles, port: number) => Promise<Locker>;

/** One of two ways that are compared: its pairs follow those of the other, in the same process. */
interface Way {
  readonly locker: Locker;
  begin(): void;
  end(): void;
}

const RATIO = 'time of a pair, to without';
const LESS = 'µs a pair, without';
const MORE = 'µs a pair';
const unheard = 'without a subscriber, beside a copy without channels';
const heard = 'with a subscriber to all channels, beside none';

const nothing = (): void => undefined;

/**
 * Both ways in one process, some pairs of one and then some of the other, in a new order each time. Two processes of the same program
 * differ by more than what is measured here, for as long as they live: by where their code and their heap lie. The median over the
 * turns of a round, because another program that takes the processor does so in one turn of a hundred.
 */
function contestant(
  name: string,
  pairsAtOnce: number,
  open: (
    port: number,
  ) => Promise<{ readonly less: Way; readonly more: Way; readonly close: () => Promise<void> }>,
): TrialContestant {
  return {
    name,
    open: async (port) => {
      const { less, more, close } = await open(port);
      const timeOf = async (way: Way): Promise<number> => {
        way.begin();
        const start = performance.now();
        await way.locker.loop('pair', pairsAtOnce);
        const elapsedMs = performance.now() - start;
        way.end();
        return (elapsedMs * 1000) / pairsAtOnce;
      };
      return {
        round: async (roundMs) => {
          const turns: Record<string, number>[] = [];
          const start = performance.now();
          while (performance.now() - start < roundMs) {
            const us = new Map<Way, number>();
            for (const way of shuffled([less, more], Math.random)) us.set(way, await timeOf(way));
            const [without = NaN, with_ = NaN] = [us.get(less), us.get(more)];
            turns.push({ [LESS]: without, [MORE]: with_, [RATIO]: with_ / without });
          }
          const median = (figure: string) =>
            percentile(
              turns.map((turn) => turn[figure] ?? NaN),
              0.5,
            );
          return { [LESS]: median(LESS), [MORE]: median(MORE), [RATIO]: median(RATIO) };
        },
        close,
      };
    },
  };
}

function withoutSubscriber(openFrom: OpenFrom, pairsAtOnce: number): TrialContestant {
  return contestant(unheard, pairsAtOnce, async (port) => {
    const copy = copyWithoutChannels();
    const [ours, its] = await Promise.all([openFrom(installedFiles, port), openFrom(copy.files, port)]);
    return {
      less: { locker: its, begin: nothing, end: nothing },
      more: { locker: ours, begin: nothing, end: nothing },
      close: async () => {
        await Promise.all([ours.close(), its.close()]);
        copy.remove();
      },
    };
  });
}

function withSubscriber(openFrom: OpenFrom, pairsAtOnce: number): TrialContestant {
  return contestant(heard, pairsAtOnce, async (port) => {
    const locker = await openFrom(installedFiles, port);
    let events = 0;
    const hear = (): void => void events++;
    const subscriber = { start: hear, end: hear, asyncStart: hear, asyncEnd: hear, error: hear };
    const channels = ['acquire', 'hold', 'renewal'].map((what) => tracingChannel(`holdfast:${what}`));
    return {
      less: { locker, begin: nothing, end: nothing },
      more: {
        locker,
        begin: () => channels.forEach((channel) => channel.subscribe(subscriber)),
        end: () => channels.forEach((channel) => channel.unsubscribe(subscriber)),
      },
      close: () => locker.close(),
    };
  });
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
    contestants: [withoutSubscriber(openFrom, pairsAtOnce), withSubscriber(openFrom, pairsAtOnce)],
    columns: [
      { figure: LESS, digits: 2 },
      { figure: MORE, digits: 2 },
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
        'A lock that no other caller wants is taken and given back, and the time is compared in one process: with the package beside ' +
        'a copy of it in which every look for a subscriber finds none, and with a subscriber to all tracing ' +
        'channels beside none. 1 means that it costs nothing.',
      figure: RATIO,
      better: 'less',
      ours: heard,
    },
  };
}
