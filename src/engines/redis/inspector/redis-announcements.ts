import type { Program } from '../../../spi/api/client-card.ts';
import type { Announcements, FoundClients } from '../../../spi/engine/announcements.ts';
import type { RedisDriver, Reply } from '../driver.ts';
import { CLIENT_DIGITS, type Keys } from '../keys.ts';
import { programOf, programOfPermit } from './shapes.ts';

/** Long enough that a client repeats it three times an hour; short enough that those of crashed clients do not pile up. */
const LAST_MS = 3_600_000;

const PERMITS: ReadonlySet<string> = new Set(['semaphore', 'permitSemaphore']);

export interface RedisAnnouncementsOptions {
  readonly driver: RedisDriver;
  readonly keys: Keys;
}

/**
 * One key for each client, which ends by itself: `holdfast_client:{«id»}`, in a slot of its own. Redisson has nothing like it,
 * and looks at no key of this name.
 *
 * Plain commands and no script: nothing is decided here, and a copy that comes late writes the same again.
 */
export class RedisAnnouncements implements Announcements {
  readonly lastMs = LAST_MS;
  readonly fencesAreTimes = true;
  readonly #options: RedisAnnouncementsOptions;

  constructor(options: RedisAnnouncementsOptions) {
    this.#options = options;
  }

  async announce(client: string, said: string): Promise<void> {
    const key = this.#options.keys.client(client);
    await this.#send(key, ['SET', key, said, 'PX', String(LAST_MS)]);
  }

  async retract(client: string): Promise<void> {
    const key = this.#options.keys.client(client);
    await this.#send(key, ['DEL', key]);
  }

  /** By one command for each client: in a cluster each key has its server. The time is that of the first of them. */
  async find(clients: readonly string[]): Promise<FoundClients> {
    const { keys } = this.#options;
    const [time, ...found] = await Promise.all([
      this.#send(keys.client(clients[0] ?? ''), ['TIME']),
      ...clients.map((id) => this.#read(keys.client(id))),
    ]);
    const [seconds, microseconds] = time as readonly Reply[];
    const said = clients.flatMap((id, at) => (found[at] === undefined ? [] : [[id, found[at]] as const]));
    return { now: Number(seconds) * 1000 + Number(microseconds) / 1000, said: new Map(said) };
  }

  /** Of a permit: the first digits of its client's id. */
  clientOf(owner: string, kind: string): string | undefined {
    return PERMITS.has(kind) ? owner.slice(0, CLIENT_DIGITS) : undefined;
  }

  programOf(owner: string, kind: string): Program {
    if (PERMITS.has(kind)) return programOfPermit(owner);
    const program = programOf(owner);
    return kind === 'springLock' && program !== 'holdfast' ? 'spring' : program;
  }

  /** Undefined also for a key that this user may not read: the others still have their names. */
  async #read(key: string): Promise<string | undefined> {
    try {
      const reply = await this.#send(key, ['GET', key]);
      return typeof reply === 'string' ? reply : undefined;
    } catch {
      return undefined;
    }
  }

  #send(key: string, command: readonly string[]): Promise<Reply> {
    return this.#options.driver.send(key, command);
  }
}
