import type { Client } from '../../../core/client.ts';
import { TimerTask } from '../../../core/time/timer-queue.ts';
import { EngineError } from '../../../spi/errors.ts';
import type { RedisDriver, RedisNode } from '../driver.ts';

/** A program that acquires, works and ends at once never asks. The client announces itself after the same time, by the same timer. */
const ASKS_AFTER_MS = 100;
const HARMLESS = 'noeviction';

/**
 * Warns, once for each engine object, of a server that evicts keys when its memory is full. Every lock is a key: the holder
 * of an evicted lock learns of it at its next renewal, and another client may hold it by then.
 *
 * A warning and no refusal: the engine cannot know whether the memory will ever be full. No call waits for the check, and
 * where the ACL forbids INFO there is no warning.
 *
 * Asks a moment after the first request. The tempting alternative asks together with it. But the server sends that answer before
 * the one that a call waits for, and to compile what reads it was a seventh of the processor time of a process's first acquisition
 * and release (3.4 ms instead of 3.9 ms).
 */
export class EvictionCheck extends TimerTask {
  readonly #client: Client;
  readonly #driver: RedisDriver;

  constructor(client: Client, driver: RedisDriver) {
    super();
    this.#client = client;
    this.#driver = driver;
  }

  override get keepsAlive(): boolean {
    return false;
  }

  schedule(): void {
    const client = this.#client;
    if (!client.closed) client.timers.set(this, client.clock.now() + ASKS_AFTER_MS);
  }

  override due(): void {
    void this.#ask();
  }

  async #ask(): Promise<void> {
    try {
      for (const server of await this.#driver.findMasters()) {
        const info = String(await server.send(['INFO', 'memory']));
        const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? HARMLESS;
        if (policy !== HARMLESS) return warn(this.#client, server, policy);
      }
    } catch {
      // Forbidden or unreachable: the first request for a lock reports the reason.
    }
  }
}

function warn({ closed, events, label }: Client, { id }: RedisNode, policy: string): void {
  if (closed) return;
  const text = `Redis at ${id} has the maxmemory-policy ${policy}: when its memory is full it evicts keys, and an evicted lock is free while its holder still works. Set maxmemory-policy ${HARMLESS}, or keep locks on a server of their own.`;
  process.emitWarning(text, { type: 'HoldfastWarning', code: 'HOLDFAST_EVICTION' });
  if (!events.trouble.wanted) return;
  const error = new EngineError(text, { resource: `server ${id}`, engine: label }, { retryable: false });
  events.trouble.emit({ kind: 'server', name: id, engine: label, error });
}
