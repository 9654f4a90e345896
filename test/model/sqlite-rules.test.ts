import { describe, expect, test } from 'vitest';
import { systemClock, systemRandom } from '../../src/core/time/clock.ts';
import { Session } from '../../src/core/session.ts';
import { loadDriver } from '../../src/engines/sqlite/file/drivers.ts';
import { openSqlite } from '../../src/engines/sqlite/open-sqlite.ts';
import { OptimisticCells } from '../../src/kernels/cells/optimistic-cells.ts';
import { ReliableCells } from '../../src/kernels/cells/reliable-cells.ts';
import { ruleBook } from '../../src/kernels/cells/rule-book.ts';
import type { Decide, Facts } from '../../src/spi/rule.ts';
import { SeededRandom } from '../engines/seeded-random.ts';
import { TemporaryFolder } from '../faults/sqlite/temporary-folder.ts';

type Kind = keyof typeof ruleBook;

interface Step {
  readonly verb: string;
  readonly ask: object;
}

const START_MS = 1_750_000_000_000;
const STEPS = 150;
const PROGRAMS = 8;

/** Picks the asks of one program. */
class Program {
  readonly #random: SeededRandom;

  constructor(seed: string) {
    this.#random = new SeededRandom(seed);
  }

  below(most: number): number {
    return Math.floor(this.#random.fraction() * most);
  }

  pick<T>(of: readonly T[]): T {
    return of[this.below(of.length)]!;
  }

  step(kind: Kind, owner: string): Step {
    const leaseMs = this.pick([100, 1000, 5000]);
    const acquire = { owner, leaseMs, wait: this.pick([true, false]), interestMs: 3000 };
    const others = [
      { verb: 'release', ask: { owner } },
      { verb: 'renew', ask: { owner, leaseMs } },
    ];
    const side = this.pick(['read', 'write']);
    const changes = { signals: this.pick([[], [{ condition: 'c', all: this.pick([true, false]) }]]) };
    const steps: Readonly<Record<Kind, readonly Step[]>> = {
      lock: [
        { verb: 'acquire', ask: { ...acquire, fences: this.pick([1, 8]) } },
        ...others,
        { verb: 'force', ask: {} },
      ],
      fairLock: [{ verb: 'acquire', ask: { ...acquire, fences: 1 } }, ...others, { verb: 'force', ask: {} }],
      readWriteLock: [
        { verb: 'acquire', ask: { ...acquire, side } },
        { verb: 'release', ask: { owner, side } },
        { verb: 'renew', ask: { owner, leaseMs, side } },
      ],
      semaphore: [{ verb: 'acquire', ask: { ...acquire, permits: this.pick([1, 2]), total: 3 } }, ...others],
      permitSemaphore: [
        { verb: 'acquire', ask: { ...acquire, permits: this.pick([1, 2]), total: 3 } },
        ...others,
      ],
      latch: [
        { verb: 'trySetCount', ask: { count: this.pick([1, 3]) } },
        { verb: 'countDown', ask: { by: 1 } },
        { verb: 'reset', ask: { count: 2 } },
      ],
      barrier: [
        { verb: 'arrive', ask: { owner, parties: 3, interestMs: 3000, first: true } },
        { verb: 'leave', ask: { owner, reason: 'timeout' } },
        { verb: 'reset', ask: {} },
      ],
      election: [
        { verb: 'acquire', ask: { ...acquire, value: { at: leaseMs } } },
        ...others,
        { verb: 'proclaim', ask: { owner, value: 'new' } },
      ],
      monitor: [
        { verb: 'acquire', ask: { ...acquire, initial: 0 } },
        ...others,
        { verb: 'exit', ask: { owner, write: { value: leaseMs }, ...changes } },
        { verb: 'wait', ask: { owner, ...changes, condition: 'c', interestMs: 3000 } },
      ],
    };
    return this.pick(steps[kind]);
  }
}

function factsAt(now: number): Facts {
  const dead = { has: () => false, endsInMs: () => Number.MAX_SAFE_INTEGER };
  return { now, dead, fenceFloor: 0, upMs: 0 };
}

/** Two clients of one file, whose clock stands still until the test moves it. */
async function openStage() {
  const folder = new TemporaryFolder();
  const clock = (await loadDriver()).open(folder.file());
  clock.execute(`create table clock (ms real); insert into clock values (${START_MS})`);
  const now = '(select ms from clock)';
  const engines = [0, 1].map(() =>
    openSqlite({ file: folder.file() }, { clock: systemClock, random: systemRandom, now }),
  );
  const clients = engines.map(({ inside }) => {
    const { client, documents } = inside;
    const session = new Session(client, { beat: () => 'alive', end: () => undefined }, Infinity);
    const wire = new OptimisticCells(client, documents);
    const cells = new ReliableCells(client, session, wire, { commandTimeoutMs: 30_000 });
    return { id: client.ids.client, cells };
  });
  return {
    clients,
    setClock: (ms: number) => clock.execute(`update clock set ms = ${ms}`),
    close: async () => {
      for (const engine of engines) await engine.close();
      clock.close();
      folder[Symbol.dispose]();
    },
  };
}

describe('random programs on SQLite', () => {
  test.each(Object.keys(ruleBook) as Kind[])(
    '%s: every answer is that of the rule',
    async (kind) => {
      const { clients, setClock, close } = await openStage();
      try {
        for (let number = 0; number < PROGRAMS; number++) {
          const program = new Program(`${kind}-${number}`);
          const name = `program ${number}`;
          const verbs = ruleBook[kind].verbs as unknown as Readonly<
            Record<string, Decide<unknown, object, unknown>>
          >;
          let state: unknown;
          let now = START_MS + number * 1_000_000;
          setClock(now);
          for (let at = 0; at < STEPS; at++) {
            // Never by so little that a guess at the time would still be good: it would be right, and not the same.
            if (program.below(4) === 0) setClock((now += program.pick([1500, 4000])));
            const { id, cells } = program.pick(clients);
            const { verb, ask } = program.step(kind, `${id}:${program.below(3)}`);
            const expected = verbs[verb]!(state, ask, factsAt(now));
            state = expected.state;
            const answer = await cells.change(kind, name, verb, ask);
            expect(plain(answer), `${name}, step ${at}: ${verb}`).toStrictEqual(plain(expected.answer));
          }
        }
      } finally {
        await close();
      }
    },
    60_000,
  );
});

/** As it is after it has been written and read. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null));
}
