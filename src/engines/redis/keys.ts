import { argumentRangeError, type ErrorSubject } from '../../spi/errors.ts';
import { keySlot } from './drivers/cluster/key-slot.ts';

/** How Redisson derives companions of a name: the part in braces decides the slot, so that all lie in one. */
export function prefixed(prefix: string, name: string): string {
  return name.includes('{') ? `${prefix}:${name}` : `${prefix}:{${name}}`;
}

function suffixed(name: string, suffix: string): string {
  return name.includes('{') ? `${name}:${suffix}` : `{${name}}:${suffix}`;
}

/** The names of one lock that every acquisition and release of it needs. */
export interface LockKeys {
  readonly lock: string;
  readonly token: string;
  readonly channel: string;
  /** What the mark of a request begins with; its id follows. */
  readonly marks: string;
}

/** Of so many locks the names are kept: to put them together anew for each call is a tenth of what a lock costs. */
const KEPT = 1000;

/** All names in Redis that belong to the synchronizers, in Redisson's layout where it has one. */
export class Keys {
  readonly #prefix: string;
  readonly #locks = new Map<string, LockKeys>();
  /** Whoever takes a lock asks for its names several times in a row. */
  #latestName: string | undefined;
  #latest: LockKeys | undefined;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** The key of a name; Redisson's name mapper does the same. */
  of(name: string): string {
    return this.#prefix + name;
  }

  lock(name: string): LockKeys {
    if (this.#latest !== undefined && this.#latestName === name) return this.#latest;
    const keys = this.#locks.get(name) ?? this.#build(name);
    this.#latestName = name;
    this.#latest = keys;
    return keys;
  }

  #build(name: string): LockKeys {
    const made = {
      lock: this.of(name),
      token: this.token(name),
      channel: this.lockChannel(name),
      marks: `${prefixed('holdfast_mark', this.of(name))}:`,
    };
    if (this.#locks.size >= KEPT) this.#locks.clear();
    this.#locks.set(name, made);
    return made;
  }

  /** The name of a key, if it has our prefix. */
  nameOf(key: string): string | undefined {
    return key.startsWith(this.#prefix) ? key.slice(this.#prefix.length) : undefined;
  }

  token(name: string): string {
    return prefixed('redisson_lock_token', this.of(name));
  }

  lockChannel(name: string): string {
    return prefixed('redisson_lock__channel', this.of(name));
  }

  /** What a client remembers of a request until no copy of it can come any more. */
  mark(name: string, id: string): string {
    return `${prefixed('holdfast_mark', this.of(name))}:${id}`;
  }

  fairQueue(name: string): string {
    return prefixed('redisson_lock_queue', this.of(name));
  }

  fairDeadlines(name: string): string {
    return prefixed('redisson_lock_timeout', this.of(name));
  }

  fairContributions(name: string): string {
    return prefixed('holdfast_lock_wait', this.of(name));
  }

  readWriteChannel(name: string): string {
    return prefixed('redisson_rwlock', this.of(name));
  }

  semaphoreChannel(name: string): string {
    return prefixed('redisson_sc', this.of(name));
  }

  permitDeadlines(name: string): string {
    return suffixed(this.of(name), 'timeout');
  }

  /** Always with braces of its own, also around a name that has some. */
  latchChannel(name: string): string {
    return `redisson_countdownlatch__channel__{${this.of(name)}}`;
  }

  /** Changes when one of us opens or closes a latch; Java knows nothing of it. */
  latchRound(name: string): string {
    return prefixed('holdfast_latch_round', this.of(name));
  }

  cell(kind: string, name: string): string {
    return prefixed(`holdfast_${kind}`, this.of(name));
  }

  cellChannel(kind: string, name: string): string {
    return prefixed(`holdfast_${kind}__channel`, this.of(name));
  }

  /** Refuses a name whose keys or channels would lie in different slots: on a cluster no script could touch them all. */
  checkOneSlot(kind: string, name: string, subject: ErrorSubject): void {
    const all = [
      this.of(name),
      this.token(name),
      this.permitDeadlines(name),
      ...(kind === 'latch' ? [this.latchChannel(name)] : []),
    ];
    if (new Set(all.map(keySlot)).size === 1) return;
    throw argumentRangeError(
      `${subject.resource}: on a Redis cluster a name with these braces would be spread over several slots. Use a name without braces, or with one well-formed {tag}${kind === 'latch' ? ' (a latch takes none at all)' : ''}.`,
      subject,
    );
  }
}

/** A pattern of Redis that matches exactly this text: a name is data, and may contain what means something there. */
export function escapeGlob(text: string): string {
  return text.replace(/[\\*?[\]]/g, '\\$&');
}
