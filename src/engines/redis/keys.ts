import { argumentRangeError, type ErrorSubject } from '../../spi/errors.ts';
import { keySlot } from './drivers/cluster/key-slot.ts';

/** Derives the companion keys of a name as Redisson does: the part in braces decides the slot, so all lie in one. */
export function prefixed(prefix: string, name: string): string {
  return name.includes('{') ? `${prefix}:${name}` : `${prefix}:{${name}}`;
}

function suffixed(name: string, suffix: string): string {
  return name.includes('{') ? `${name}:${suffix}` : `{${name}}:${suffix}`;
}

/** The keys and the channel that every acquisition and release of one lock needs. */
export interface LockKeys {
  readonly lock: string;
  readonly token: string;
  readonly channel: string;
  /** The clients that wait for the lock on channels of their own. */
  readonly crowd: string;
  /** The prefix of the mark of a request; the id of the request follows. */
  readonly marks: string;
}

/**
 * How many digits of a client's id are in the ids of its permits, which have no room for all: 64 bits. Two of a million clients
 * share them once in 37 million fleets.
 */
export const CLIENT_DIGITS = 16;

/** Caches the names of this many locks: to build them for each call is a tenth of the cost of a lock. */
const KEPT = 1000;

/** All keys and channels of the synchronizers, in Redisson's layout where Redisson has one. */
export class Keys {
  readonly #prefix: string;
  readonly #locks = new Map<string, LockKeys>();
  /** One acquisition asks for the same names several times in a row. */
  #latestName: string | undefined;
  #latest: LockKeys | undefined;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** The key of a name, built as Redisson's name mapper builds it. */
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
      crowd: prefixed('holdfast_lock_crowd', this.of(name)),
      marks: `${prefixed('holdfast_mark', this.of(name))}:`,
    };
    if (this.#locks.size >= KEPT) this.#locks.clear();
    this.#locks.set(name, made);
    return made;
  }

  /** The name behind a key, if the key has our prefix. */
  nameOf(key: string): string | undefined {
    return key.startsWith(this.#prefix) ? key.slice(this.#prefix.length) : undefined;
  }

  token(name: string): string {
    return prefixed('redisson_lock_token', this.of(name));
  }

  lockChannel(name: string): string {
    return prefixed('redisson_lock__channel', this.of(name));
  }

  /** The mark that a request leaves until no copy of the request can arrive any more. */
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

  /** Always adds braces, also around a name that has some. */
  latchChannel(name: string): string {
    return `redisson_countdownlatch__channel__{${this.of(name)}}`;
  }

  /** Changes when a client of this library opens or closes a latch; Redisson does not know the key. */
  latchRound(name: string): string {
    return prefixed('holdfast_latch_round', this.of(name));
  }

  /** Where a client says who it is, by the part of its id that all its owners and permits begin with. */
  client(id: string): string {
    return prefixed('holdfast_client', this.of(id.slice(0, CLIENT_DIGITS)));
  }

  cell(kind: string, name: string): string {
    return prefixed(`holdfast_${kind}`, this.of(name));
  }

  cellChannel(kind: string, name: string): string {
    return prefixed(`holdfast_${kind}__channel`, this.of(name));
  }

  /** Refuses a name whose keys or channels would lie in different slots: on a cluster no script could use them all. */
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

/** A Redis pattern that matches exactly this text: a name is data, and may contain characters with a meaning in patterns. */
export function escapeGlob(text: string): string {
  return text.replace(/[\\*?[\]]/g, '\\$&');
}
