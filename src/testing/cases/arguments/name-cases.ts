import type { Factories, Synchronizers } from '../../../index.ts';
import { BAD_NAMES, ODD_NAMES } from './bad-arguments.ts';
import { type BadArgument, assertThrowsArgument } from '../../harness/coded-error.ts';
import type { Cases } from '../../suites/suite.ts';

export interface Naming<K extends keyof Factories, T> {
  readonly make: (client: Synchronizers<K>, name: string) => T;
  /** Uses the synchronizer once and releases everything. */
  readonly use: (thing: T) => Promise<void>;
  /** Bad second arguments of the factory, where it has one. */
  readonly badOptions?: readonly BadArgument[];
  readonly makeWith?: (client: Synchronizers<K>, name: string, options: unknown) => unknown;
}

/** What every factory does with its arguments: it throws, because nothing has been started yet that could reject. */
export function nameCases<K extends keyof Factories, T>(naming: Naming<K, T>): Cases<K> {
  const { make, use, badOptions = [], makeWith } = naming;
  return {
    'bad names are refused by throwing': async (bench) => {
      const client = await bench.open();
      for (const bad of BAD_NAMES) assertThrowsArgument(bad, () => make(client, bad.given as string));
    },

    // RedissonReadWriteLockTest.testName
    'odd names are good names': async (bench) => {
      const client = await bench.open();
      for (const name of ODD_NAMES) await use(make(client, name));
    },

    ...(makeWith === undefined
      ? {}
      : {
          'bad options of the factory are refused by throwing': async (bench) => {
            const client = await bench.open();
            for (const bad of badOptions) {
              assertThrowsArgument(bad, () => makeWith(client, bench.name, bad.given));
            }
          },
        }),
  };
}
