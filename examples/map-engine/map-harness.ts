import type { Clock, Factories, Synchronizers } from 'holdfast';
import { systemClock } from 'holdfast/engine';
import type { HarnessClientOptions, Harness, HarnessTime } from 'holdfast/testing';
import { mapEngine } from './index.ts';
import { MapConnection } from './map-connection.ts';
import { MapServer } from './map-server.ts';

/** The time that a harness lives in. */
export interface MapHarnessTime {
  readonly clock: Clock;
  readonly time: HarnessTime;
  /** Runs one case; a virtual clock moves meanwhile. */
  readonly pump: (body: () => Promise<void>) => Promise<void>;
}

/** The machine's own time. */
export const realTime: MapHarnessTime = {
  clock: systemClock,
  time: {
    now: () => systemClock.now(),
    sleep: (ms) =>
      new Promise((resolve) => {
        systemClock.timer(ms, resolve).keepsAlive(true);
      }),
    stall: (ms) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
    exact: false,
    unitMs: 100,
  },
  pump: (body) => body(),
};

/** What the suites need to test the engine. */
export class MapHarness implements Harness {
  readonly engine = 'map';
  readonly factories: readonly (keyof Factories)[] = [
    'lock',
    'fairLock',
    'readWriteLock',
    'semaphore',
    'permitSemaphore',
    'latch',
    'barrier',
    'election',
    'monitor',
  ];
  readonly extras = ['inspector'];
  readonly time: HarnessTime;
  readonly #clock: Clock;
  readonly #pump: MapHarnessTime['pump'];
  readonly #connections = new WeakMap<Synchronizers, MapConnection>();
  #servers: MapServer[] = [];

  constructor({ clock, time, pump }: MapHarnessTime) {
    this.#clock = clock;
    this.time = time;
    this.#pump = pump;
  }

  /** An empty server for each case. */
  async run(body: () => Promise<void>): Promise<void> {
    this.#servers = [new MapServer(this.#clock)];
    await this.#pump(body);
  }

  async open(options: HarnessClientOptions = {}): Promise<Synchronizers> {
    return this.#open(options, this.#servers[0]!);
  }

  /** A client of another server, which has just been set up. */
  async openYoung(options: HarnessClientOptions = {}): Promise<Synchronizers> {
    const young = new MapServer(this.#clock, this.#clock.epochNow());
    this.#servers.push(young);
    return this.#open(options, young);
  }

  async crash(client: Synchronizers): Promise<void> {
    this.#connectionOf(client).cut();
  }

  loseNextReply(client: Synchronizers): void {
    this.#connectionOf(client).loseNextReply();
  }

  silence(client: Synchronizers): () => void {
    return this.#connectionOf(client).silence();
  }

  async leftovers(): Promise<readonly string[]> {
    const watchers = this.#servers.reduce((sum, server) => sum + server.watchers, 0);
    return watchers === 0 ? [] : [`${watchers} watchers`];
  }

  #open(options: HarnessClientOptions, server: MapServer): Synchronizers {
    const connection = new MapConnection(server, this.#clock);
    const { unitMs: commandTimeoutMs } = this.time;
    const client = mapEngine({ ...options, connection, commandTimeoutMs, clock: this.#clock });
    this.#connections.set(client, connection);
    return client;
  }

  #connectionOf(client: Synchronizers): MapConnection {
    return this.#connections.get(client)!;
  }
}
