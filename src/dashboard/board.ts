import { systemClock } from '../core/time/clock.ts';
import { Poller } from '../core/time/poller.ts';
import type { Timer } from '../spi/clock.ts';
import type { Sighting } from '../spi/engine/inspector.ts';
import { isHoldfastError } from '../spi/errors.ts';
import { eventText, type WholeFrame } from './frames.ts';
import type { Look } from './hold-ends.ts';
import type { InspectableLocks } from './options.ts';
import { RowChanges } from './row-changes.ts';
import { encoded, Viewer } from './viewer.ts';

/** The shortest time between two looks, however many hints come. */
const LEAST_MS = 100;
/** A store that takes long to list is left in peace for so many times as long as the last look took. */
const REST = 4;
/** But not for longer than this: a page should not show for minutes what was. */
const MOST_REST_MS = 10_000;
/** Keeps proxies from ending a stream on which nothing happens, and tells the page that the server is still there. */
const HEARTBEAT_MS = 15_000;

const HEARTBEAT = encoded(': still here\n\n');

export interface BoardOptions {
  readonly locks: InspectableLocks;
  readonly prefix: string;
  readonly everyMs: number;
  readonly release: WholeFrame['release'];
}

/** What a look has seen. */
interface Looked {
  readonly rows: readonly Sighting[];
  readonly look: Look;
}

/** Looks at the store once for all viewers, and only while there are any. */
export class Board {
  readonly #options: BoardOptions;
  readonly #viewers = new Set<Viewer>();
  readonly #changes = new RowChanges();
  readonly #poller = new Poller(systemClock, LEAST_MS);
  #isClosed = false;
  #isWatching = false;
  #hasLooked = false;
  #trouble: string | undefined;
  #heartbeat: Timer | undefined;
  #looking: Promise<Looked> | undefined;

  constructor(options: BoardOptions) {
    this.#options = options;
  }

  /** A stream of frames for one more page. */
  view(): ReadableStream<Uint8Array> {
    const viewer = new Viewer(
      () => this.#everything(),
      () => this.#leave(viewer),
    );
    this.#viewers.add(viewer);
    if (this.#hasLooked) viewer.send(encoded(this.#everything()));
    else viewer.send(this.#trouble === undefined ? HEARTBEAT : encoded(troubleText(this.#trouble)));
    void this.#watch();
    return viewer.stream;
  }

  /** A look of its own, shared by all who ask at the same time. */
  async snapshot(): Promise<Looked> {
    this.#looking ??= this.#list().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /** Something was changed from here: the viewers should see it soon. */
  hint(): void {
    this.#poller.hint();
  }

  /** Ends the streams of all viewers, for good: their pages connect again, and would keep a server open that is about to close. */
  close(): void {
    this.#isClosed = true;
    for (const viewer of this.#viewers) viewer.end();
    this.#viewers.clear();
    this.#poller.hint();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get viewers(): number {
    return this.#viewers.size;
  }

  #leave(viewer: Viewer): void {
    this.#viewers.delete(viewer);
    if (this.#viewers.size === 0) this.#poller.hint();
  }

  async #watch(): Promise<void> {
    if (this.#isWatching) return;
    this.#isWatching = true;
    this.#beatLater();
    let unwatch: (() => unknown) | undefined;
    // No await stands between the last look at the viewers and the end: a viewer that comes in between would be shown nothing.
    while (this.#viewers.size > 0) {
      const begin = systemClock.now();
      unwatch ??= await this.#listen();
      await this.#look();
      const restMs = Math.min(MOST_REST_MS, REST * (systemClock.now() - begin));
      await this.#poller.wait(Math.max(this.#options.everyMs, restMs), restMs);
    }
    this.#heartbeat?.cancel();
    this.#isWatching = false;
    this.#hasLooked = false;
    this.#trouble = undefined;
    this.#changes.forget();
    unwatch?.();
  }

  /** Hints are a help: without them there are still looks. */
  async #listen(): Promise<(() => unknown) | undefined> {
    try {
      return await this.#options.locks.inspector.changes(() => this.#poller.hint());
    } catch {
      return undefined;
    }
  }

  async #look(): Promise<void> {
    try {
      const { rows, look } = await this.snapshot();
      const changes = this.#changes.see(rows, look);
      const isFirst = !this.#hasLooked;
      const wasTrouble = this.#trouble !== undefined;
      this.#hasLooked = true;
      this.#trouble = undefined;
      if (isFirst) this.#send(this.#everything());
      // An empty frame tells that the store answers again.
      else if (changes !== undefined || wasTrouble)
        this.#send(eventText('some', changes ?? { rows: [], gone: [], leases: [], ended: [] }));
    } catch (error) {
      const code = isHoldfastError(error) ? error.code : 'UNKNOWN';
      const isNews = this.#trouble !== code;
      this.#trouble = code;
      if (isNews) this.#send(troubleText(code));
    }
  }

  /** By a timer of its own, and not after a look: looks may be minutes apart, and one may take as long. */
  #beatLater(): void {
    this.#heartbeat = systemClock.timer(HEARTBEAT_MS, () => {
      for (const viewer of this.#viewers) viewer.send(HEARTBEAT);
      this.#beatLater();
    });
  }

  async #list(): Promise<Looked> {
    const { locks, prefix } = this.#options;
    const begin = systemClock.now();
    const rows: Sighting[] = [];
    for await (const sighting of locks.inspector.list({ prefix })) rows.push(sighting);
    return { rows, look: { begin, end: systemClock.now() } };
  }

  /** With the trouble, if there is any: all rows may fill what a viewer may have waiting, and a frame after them would not be sent. */
  #everything(): string {
    const { locks, release } = this.#options;
    const whole: WholeFrame = { engine: locks.label, release, rows: this.#changes.all(systemClock.now()) };
    return eventText('all', whole) + (this.#trouble === undefined ? '' : troubleText(this.#trouble));
  }

  #send(text: string): void {
    const frame = encoded(text);
    for (const viewer of this.#viewers) viewer.send(frame);
  }
}

function troubleText(code: string): string {
  return eventText('trouble', { code });
}
