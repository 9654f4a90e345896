import type { ClientCard } from '../../spi/api/client-card.ts';
import type { Announcements } from '../../spi/engine/announcements.ts';
import type { OwnerId } from '../../spi/rule.ts';
import type { Client } from '../client.ts';
import { TimerTask } from '../time/timer-queue.ts';
import { encodeAnnouncement } from './announcement.ts';
import { BoundedRequests } from './bounded-requests.ts';
import { THIS_PROCESS } from './process-card.ts';

/** A client announces itself so long after its first grant: a program that acquires, works and ends at once never does. */
const FIRST_AFTER_MS = 100;
/** An announcement that failed is tried again after so long, then after twice as long, up to the usual interval. */
const AGAIN_MS = 60_000;
/** Labels that changed are announced so often: owners may come and go with each request that a program serves. */
const LABELS_EVERY_MS = 5000;
/** How often an announcement is repeated where it does not end by itself. */
const USUAL_LAST_MS = 3_600_000;
/** A client whose store is not ready looks so often whether it is. The look asks nothing of the store. */
const READY_CHECK_MS = 5000;
/** How long `close` waits for the store to forget the client, which it does by itself anyway. */
const LONGEST_END_MS = 500;

/**
 * Announces who this client is: once in its life, and again at a third of the announcement's, while it holds something.
 *
 * The tempting alternative writes the card with each hold. It then lies beside the hold, and ends with it; and every acquisition
 * pays for what is read when an operator looks, or a waiter gives up. Here an acquisition pays nothing: the first grant arms a
 * timer where the keeper arms its own.
 *
 * An announcement that fails is no error: a user that may not write it can do everything else.
 */
export class Announcer extends TimerTask {
  /** By the ids of what the owners hold. */
  readonly labels = new Map<OwnerId, string>();
  readonly card: ClientCard;
  readonly process = THIS_PROCESS;
  readonly #client: Client;
  readonly #store: Announcements;
  /** The id that the client had when it announced itself. */
  #announcedAs: string | undefined;
  #said: string | undefined;
  #writtenAt = -Infinity;
  #labelsWrittenAt = -Infinity;
  #failures = 0;
  /** Not tried before this while the last attempt has failed. */
  #againAt = -Infinity;
  #isOver = false;
  #isOutlived = false;
  #writing: Promise<void> | undefined;
  readonly #requests: BoundedRequests;

  constructor(client: Client, store: Announcements, card: ClientCard) {
    super();
    this.#client = client;
    this.#requests = new BoundedRequests(client.clock);
    this.#store = store;
    this.card = card;
  }

  override get keepsAlive(): boolean {
    return false;
  }

  /** The client has acquired something. Called with few grants: see `UnrenewedGrants.take`. */
  noteGrant(): void {
    const { closed, ids } = this.#client;
    if (closed || this.#announcedAs === ids.client) return;
    const isArmed = this.slot !== -1 && this.#announcedAs === undefined;
    if (!isArmed) this.#announceSoon();
  }

  /** An owner with a label holds something. Announced if it still does a moment later. */
  addLabel(owner: OwnerId, label: string): void {
    this.labels.set(owner, label);
    if (!this.#client.closed) this.#announceSoon();
  }

  dropLabel(owner: OwnerId): void {
    this.labels.delete(owner);
  }

  override due(now: number): void {
    const { closed, ids, keeper } = this.#client;
    if (closed) return;
    this.#dropEndedLabels();
    const isKnown = this.#announcedAs === ids.client && this.#failures === 0;
    const repeatAt = this.#writtenAt + this.#intervalMs;
    // An idle client is not announced again: the next grant does that, and the store forgets one that stays idle. The store knows it
    // until then, also if a label that has gone meanwhile brought us here early.
    if (this.#announcedAs === ids.client && keeper.kept().length === 0) {
      if (isKnown && now < repeatAt) this.#client.timers.set(this, repeatAt);
      else this.#announcedAs = undefined;
      return;
    }
    if (this.#store.isReady === false) {
      // Without a hold the next grant begins anew.
      if (keeper.kept().length > 0) this.#client.timers.set(this, now + READY_CHECK_MS);
      return;
    }
    const said = encodeAnnouncement(this);
    // Most owners have released by now: then nothing has changed since the last announcement.
    if (isKnown && this.#said === said && (this.#store.lastMs === Infinity || now < repeatAt)) {
      this.#client.timers.set(this, now < repeatAt ? repeatAt : now + this.#intervalMs);
      return;
    }
    if (isKnown && this.#said !== said) this.#labelsWrittenAt = now;
    this.#writtenAt = now;
    this.#client.timers.set(this, now + this.#intervalMs);
    this.#writing = this.#announce(ids.client, said, this.#writing);
  }

  /** A hold of this client stays in the store for a while after its release, and after the client. */
  noteOutliving(): void {
    this.#isOutlived = true;
  }

  /**
   * The client closes. What survives it (a permit with a lease of its own, a hold for a shortest time) keeps the name of its holder for
   * as long as the announcement lasts, also if the client closes before it has announced itself.
   */
  async end(): Promise<void> {
    this.#client.timers.drop(this);
    try {
      await this.#requests.inTime(this.#saveOrRetract(), LONGEST_END_MS);
    } catch {
      // It lapses by itself; the store may be the very thing that is gone.
    } finally {
      this.#isOver = true;
      this.#requests.giveUpAll();
    }
  }

  #saveOrRetract(): Promise<void> | undefined {
    const { ids, keeper } = this.#client;
    const as = this.#announcedAs;
    if (!this.#isOutlived && !keeper.kept().some((grant) => grant.staysAfterClose))
      return as === undefined ? undefined : this.#retract(as);
    return as === ids.client
      ? this.#writing
      : this.#announce(ids.client, encodeAnnouncement(this), undefined);
  }

  /** The race: an announcement that is on its way when the client closes would arrive after its own end. */
  async #retract(client: string): Promise<void> {
    await this.#writing;
    // Given up meanwhile: the driver may be closed by now.
    if (!this.#isOver) await this.#store.retract(client);
  }

  /** Of holds that were lost or forgotten: these ends have no release that would drop the label. */
  #dropEndedLabels(): void {
    if (this.labels.size === 0) return;
    const held = new Set(this.#client.keeper.kept().map(({ owner }) => owner));
    for (const owner of this.labels.keys()) if (!held.has(owner)) this.labels.delete(owner);
  }

  /** In a moment, and no earlier than the limits of a store that refuses and of labels that come and go. */
  #announceSoon(): void {
    const soon = this.#client.clock.now() + FIRST_AFTER_MS;
    const isKnown = this.#announcedAs === this.#client.ids.client;
    const earliest = isKnown ? this.#labelsWrittenAt + LABELS_EVERY_MS : -Infinity;
    const at = Math.max(soon, earliest, this.#failures > 0 ? this.#againAt : -Infinity);
    if (this.slot === -1 || at < this.at) this.#client.timers.set(this, at);
  }

  get #intervalMs(): number {
    return Math.min(this.#store.lastMs, USUAL_LAST_MS) / 3;
  }

  async #announce(client: string, said: string, earlier: Promise<void> | undefined): Promise<void> {
    this.#announcedAs = client;
    this.#said = said;
    try {
      await earlier;
      await this.#requests.inTime(this.#store.announce(client, said));
      this.#failures = 0;
    } catch {
      const { closed, clock, timers } = this.#client;
      const againMs = Math.min(AGAIN_MS * 2 ** this.#failures++, this.#intervalMs);
      this.#againAt = clock.now() + againMs;
      if (!closed) timers.set(this, this.#againAt);
    }
  }
}
