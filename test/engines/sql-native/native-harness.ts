import type { TimedLock, Lock, Synchronizers } from '../../../src/index.ts';
import type { HarnessClientOptions, Harness, HarnessTime } from '../../../src/testing/index.ts';
import { MortalClock } from '../mortal-clock.ts';
import { realSurroundings } from '../real-surroundings.ts';
import { slowness } from '../slowness.ts';
import type { OpenClient } from '../sql-clients/open-client.ts';
import { type NativeEngine, type NativeOptions, openNative } from './native-engine.ts';

/** Which of an engine's own locks is under test. */
export type Choice = (engine: NativeEngine, name: string, options: HarnessClientOptions) => Lock;

interface Life {
  readonly clock: MortalClock;
  readonly user: OpenClient;
}

/** Clients whose `lock(name)` is one of the database's own locks, so that it meets what every lock has to meet. */
export class NativeHarness implements Harness<'lock'> {
  readonly engine: 'postgres' | 'mysql';
  readonly factories = ['lock'] as const;
  readonly extras: readonly string[] = [];
  readonly withoutMinHold =
    "a database's own lock ends with its connection, and that of Spring's table by Spring's rules";
  readonly time: HarnessTime = { ...realSurroundings.time, unitMs: 800 * slowness };
  readonly #connect: () => OpenClient;
  readonly #choose: Choice;
  readonly #settings: NativeOptions;
  readonly #lives = new Map<Synchronizers<'lock'>, Life>();

  constructor(
    engine: 'postgres' | 'mysql',
    connect: () => OpenClient,
    choose: Choice,
    settings: NativeOptions = {},
  ) {
    this.engine = engine;
    this.#connect = connect;
    this.#choose = choose;
    this.#settings = settings;
  }

  async open(options: HarnessClientOptions = {}): Promise<Synchronizers<'lock'>> {
    const user = this.#connect();
    // The first connection takes its time, and is not what is measured.
    await user.client.query('select 1', []);
    const clock = new MortalClock(realSurroundings.clock);
    const engine = openNative(this.engine, user.client, { ...this.#settings, ...options, clock });
    let closing: Promise<void> | undefined;
    const close = (): Promise<void> => (closing ??= engine.close().then(() => user.end()));
    const {
      rowLock: _row,
      advisoryLock: _advisory,
      namedLock: _named,
      tableLock: _table,
      ...common
    } = engine;
    const lock = (name: string) => this.#choose(engine, name, options) as TimedLock;
    const client = { ...common, lock, close, [Symbol.asyncDispose]: close };
    this.#lives.set(client, { clock, user });
    return client;
  }

  run(body: () => Promise<void>): Promise<void> {
    return body();
  }

  async leftovers(): Promise<readonly string[]> {
    return [];
  }
}
