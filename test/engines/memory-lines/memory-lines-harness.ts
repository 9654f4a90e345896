import type { Factories, Synchronizers } from '../../../src/index.ts';
import type { HarnessClientOptions, Harness, HarnessTime } from '../../../src/testing/index.ts';
import { LineLink } from '../../fixtures/lines/line-link.ts';
import { LineServer, type LineServerOptions } from '../../fixtures/lines/line-server.ts';
import {
  CELL_KINDS,
  LINE_KINDS,
  type MemoryLineKind as LineKind,
  memoryLines,
} from '../../fixtures/lines/memory-lines.ts';
import type { Surroundings } from '../memory-harness.ts';
import { MortalClock } from '../mortal-clock.ts';
import { SeededRandom } from '../seeded-random.ts';

const SESSION_MS = 30_000;

export interface LinesHarnessOptions extends LineServerOptions {
  /** How long one way takes; another time for each client, and so messages of different clients overtake each other. */
  readonly latencyMs?: (random: () => number) => number;
  /** The semaphore as Curator has it. */
  readonly leasesPermits?: boolean;
}

interface LineLife {
  readonly clock: MortalClock;
  readonly link: LineLink;
}

/** Clients of one server of lines, each of which can be killed, cut off, or lose a reply. */
export class MemoryLinesHarness implements Harness<LineKind> {
  readonly engine = 'lines';
  readonly factories: readonly (keyof Factories)[] = [...LINE_KINDS, ...CELL_KINDS];
  readonly withoutMinHold = 'a ticket of a line ends with its session, and with nothing else';
  readonly time: HarnessTime;
  readonly #surroundings: Surroundings;
  readonly #options: LinesHarnessOptions;
  readonly #lives = new Map<Synchronizers<LineKind>, LineLife>();
  #server!: LineServer;
  #serverClock!: MortalClock;
  #opened = 0;

  constructor(surroundings: Surroundings, options: LinesHarnessOptions = {}) {
    this.#surroundings = surroundings;
    this.#options = options;
    this.time = surroundings.time;
  }

  async run(body: () => Promise<void>): Promise<void> {
    this.#lives.clear();
    this.#serverClock = new MortalClock(this.#surroundings.clock);
    this.#server = new LineServer(this.#serverClock, this.#options);
    await this.#surroundings.pump(body);
  }

  async open(options: HarnessClientOptions = {}): Promise<Synchronizers<LineKind>> {
    const random = new SeededRandom(`client-${++this.#opened}`);
    const clock = new MortalClock(this.#surroundings.clock);
    const latencyMs = () => this.#options.latencyMs?.(() => random.fraction()) ?? 0;
    const world = this.#surroundings.clock;
    const link = new LineLink(this.#server, { latencyMs, sessionMs: SESSION_MS, clock, world });
    const { leasesPermits = false } = this.#options;
    const client = memoryLines({ ...options, clock, random, link, leasesPermits });
    this.#lives.set(client as Synchronizers<LineKind>, { clock, link });
    return client as Synchronizers<LineKind>;
  }

  async crash(client: Synchronizers<LineKind>): Promise<void> {
    const { clock, link } = this.#lifeOf(client);
    clock.stop();
    link.cut();
    if (link.session !== undefined) this.#server.end(link.session);
  }

  loseNextReply(client: Synchronizers<LineKind>): void {
    this.#lifeOf(client).link.loseNextReply();
  }

  silence(client: Synchronizers<LineKind>): () => void {
    return this.#lifeOf(client).link.silence();
  }

  async leftovers(): Promise<readonly string[]> {
    const { tickets, watches, sessions } = this.#server.census();
    const documents = this.#server.documents.census();
    const timers = [...this.#lives.values()].reduce((sum, { clock }) => sum + clock.pending, 0);
    const left = {
      tickets,
      watches,
      sessions,
      timers,
      'timers of the server': this.#serverClock.pending,
      clients: documents.clients,
      'watches of documents': documents.watches,
    };
    return Object.entries(left).flatMap(([what, count]) => (count === 0 ? [] : [`${count} ${what}`]));
  }

  #lifeOf(client: Synchronizers<LineKind>): LineLife {
    const life = this.#lives.get(client);
    if (life === undefined) throw new Error('This client was not opened here.');
    return life;
  }
}
