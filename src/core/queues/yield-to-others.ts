import type { Clock } from '../../spi/clock.ts';
import type { Released } from '../../spi/verbs/holding.ts';
import type { Holdable } from '../acquire/holdable.ts';
import type { YieldPause } from '../acquire/wait.ts';

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 200;

/**
 * The pause that a client makes before its next attempt at a lock which it has just released while owners of other clients
 * waited (soundness 15). Its own attempt in the same turn would beat every one of theirs, without end: their wake-up takes a
 * round trip. The pause doubles while no other client makes use of it.
 */
export class YieldToOthers {
  #pauseMs = FIRST_PAUSE_MS;
  #releasedAt: number;

  constructor(releasedAt: number) {
    this.#releasedAt = releasedAt;
  }

  /** Counts from this release on, and for as long as before. */
  restart(now: number): void {
    this.#releasedAt = now;
  }

  /** What is left of the pause. Time that has passed since the release counts: others have had it to come in. */
  pauseFrom(now: number): YieldPause | undefined {
    const ms = this.#releasedAt + this.#pauseMs - now;
    return ms > 0 ? { ms, used: false } : undefined;
  }

  /**
   * What is left to yield for. A client that was heard to release since has been in: two processes that take turns would
   * otherwise each wait for the other, who is long gone, and for longer each time because none comes.
   */
  unlessUsed({ traits, name }: Pick<Holdable, 'traits' | 'name'>): this | undefined {
    return traits.sawOtherHolder(name) ? undefined : this;
  }

  /**
   * How to yield next time, if at all. If no owner of another client waits any more, the ones that the pause was for have come
   * and gone before this attempt.
   */
  after(pause: YieldPause, passedOver: number | undefined): this | undefined {
    if (pause.used || passedOver === 0) return undefined;
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
    return this;
  }
}

/** How a client yields after this release, if it does: `before` it, it may have yielded already. */
export function yieldAfter(
  released: Released,
  before: YieldToOthers | undefined,
  clock: Clock,
): YieldToOthers | undefined {
  if (released.kind !== 'released' || released.others === 0) return undefined;
  if (before === undefined) return new YieldToOthers(clock.now());
  before.restart(clock.now());
  return before;
}
