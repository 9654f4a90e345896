import type { ClientCard, HolderIdentity } from '../../spi/api/client-card.ts';
import type { Holder } from '../../spi/api/hold.ts';
import type { Announcements } from '../../spi/engine/announcements.ts';
import type { MaybeAsync } from '../../spi/maybe-async.ts';
import type { OwnerId } from '../../spi/rule.ts';
import { isKeptOwner } from '../../spi/kept-owner.ts';
import type { HolderView } from '../../spi/verbs/holding.ts';
import type { Client } from '../client.ts';
import { withJsonForm } from '../json-form.ts';
import { type Announcement, decodeAnnouncement } from './announcement.ts';
import { Announcer } from './announcer.ts';
import { BoundedRequests } from './bounded-requests.ts';
import { THIS_PROCESS } from './process-card.ts';

/** How long an announcement that was read is believed. A list of a thousand holds then asks once for each client. */
const KEPT_MS = 2000;
/** How long it is believed that a client says nothing: it may be about to. */
const MISSING_MS = 200;
/** A fence below this is a counter of another program, and no time: July 2017 in microseconds. */
const LEAST_TIME_US = 1_500_000_000_000_000;
/** A fence may be ahead of the store's clock, which was set back; by more than this it says nothing about the start of a hold. */
const MOST_AHEAD_MS = 1000;

/** A store may tell the client of a holder by the first digits of its id, and by no fewer than these. */
const FEWEST_DIGITS = 16;

/** A holder before it has a name. */
export interface NamelessHolder extends Pick<HolderView, 'owner' | 'clientId' | 'since'> {
  readonly fence?: number | bigint;
}

/** What keeps owners out, and how to see who does. */
export interface Blocked {
  readonly kind: string;
  readonly name: string;
  /** Of the store: two locks of one kind and name may lie in different tables or layouts. */
  readonly protocol: object;
  blockers(): MaybeAsync<readonly HolderView[]>;
}

interface KeptAnnouncement {
  readonly until: number;
  readonly said: Announcement | undefined;
}

/** Who is who in one store: what this client says about itself, and what the others have said. */
export class HolderNames {
  readonly #client: Client;
  #store: Announcements | undefined;
  #announcer: Announcer | undefined;
  readonly #kept = new Map<string, KeptAnnouncement>();
  readonly #requests: BoundedRequests;
  /** Looks under way, by protocol, kind and name. */
  readonly #looks = new WeakMap<object, Map<string, Promise<readonly Holder[]>>>();
  /** What to add to this client's clock for the time of the store. */
  #aheadMs = 0;

  constructor(client: Client) {
    this.#client = client;
    this.#requests = new BoundedRequests(client.clock);
  }

  /** Undefined where the store has no place for announcements, or the user has switched them off. */
  get announcer(): Announcer | undefined {
    return this.#announcer;
  }

  /** Called once, before the first acquisition. Without a card this client announces nothing, and still reads of others. */
  open(store: Announcements, card: ClientCard | undefined): void {
    this.#store = store;
    this.#announcer = card && new Announcer(this.#client, store, card);
  }

  /** The client closes: what it has said is taken back, and no request about names outlives it. */
  async end(): Promise<void> {
    this.#requests.giveUpAll();
    await this.#announcer?.end();
  }

  /** Who holds a thing. Waiters of one name that give up together, a whole line of them, share one look. */
  lookOnce(thing: Blocked): Promise<readonly Holder[]> {
    const key = `${thing.kind}:${thing.name}`;
    const { protocol } = thing;
    const looks = this.#looks.get(protocol) ?? new Map<string, Promise<readonly Holder[]>>();
    this.#looks.set(protocol, looks);
    const known = looks.get(key);
    if (known !== undefined) return known;
    const looking = this.holdersOf(thing.kind, thing.blockers()).finally(() => looks.delete(key));
    looks.set(key, looking);
    // Also if no caller waits for it any more: closing does.
    this.#client.background(looking);
    return looking;
  }

  /** The holders that were seen, with their names. */
  async holdersOf(kind: string, seen: MaybeAsync<readonly HolderView[]>): Promise<readonly Holder[]> {
    const identified = await this.identify(kind, await seen);
    return identified.map(holderOf);
  }

  /** Says of each holder who it is. Never rejects: a holder without a name is a holder. */
  async identify<H extends NamelessHolder>(
    kind: string,
    holders: readonly H[],
  ): Promise<readonly (H & HolderIdentity)[]> {
    const store = this.#store;
    if (store === undefined) return holders.map((holder) => ({ ...holder, ...this.#unannounced(holder) }));
    const isTimeKnown = await this.#ask(store, kind, holders);
    return holders.map((holder) => ({ ...holder, ...this.#identity(store, kind, holder, isTimeKnown) }));
  }

  /** Reads what is not known of the clients of these holders, and the time. Answers whether the time is known. */
  async #ask(store: Announcements, kind: string, holders: readonly NamelessHolder[]): Promise<boolean> {
    const { clock } = this.#client;
    const ours = holders.filter(({ owner }) => store.programOf(owner, kind) === 'holdfast');
    const clients = [...new Set(ours.map((holder) => clientIdOf(holder, kind, store)))].filter(
      (id) => id !== undefined,
    );
    const isStale = (id: string): boolean => (this.#kept.get(id)?.until ?? 0) <= clock.now();
    const wanted = clients.filter(isStale);
    if (holders.length === 0 || (clients.length > 0 && wanted.length === 0)) return true;
    try {
      const { now, said } = await this.#requests.inTime(store.find(wanted));
      this.#aheadMs = now - clock.now();
      for (const [id, { until }] of this.#kept) if (until <= clock.now()) this.#kept.delete(id);
      for (const id of wanted) {
        const text = said.get(id);
        const until = clock.now() + (text === undefined ? MISSING_MS : KEPT_MS);
        this.#kept.set(id, { until, said: text === undefined ? undefined : decodeAnnouncement(text) });
      }
      return true;
    } catch {
      return false;
    }
  }

  #identity(
    store: Announcements,
    kind: string,
    holder: NamelessHolder,
    isTimeKnown: boolean,
  ): HolderIdentity {
    const { owner } = holder;
    const id = clientIdOf(holder, kind, store);
    const isOurs = this.#isOurs(holder, id);
    const program = isOurs ? 'holdfast' : store.programOf(owner, kind);
    const heldForMs = isTimeKnown ? this.#heldForMs(store, program === 'holdfast', holder) : undefined;
    const age = heldForMs !== undefined && { heldForMs };
    if (program !== 'holdfast') return { program, ...age };
    if (isOurs) {
      const label = this.#announcer?.labels.get(owner);
      const client = this.#announcer?.card;
      return { program, ...(client && { client }), ...labelled(label), ...age, ...hereUnlessKept(owner) };
    }
    const said = this.#kept.get(id ?? '')?.said;
    if (said === undefined) return { program, ...age };
    const { card: client, process, labels } = said;
    const isHere = process === THIS_PROCESS && hereUnlessKept(owner);
    return { program, client, ...labelled(labels.get(owner)), ...age, ...isHere };
  }

  /** Of a store that keeps no announcements, and that no other program shares. */
  #unannounced(holder: NamelessHolder): HolderIdentity {
    return {
      program: 'holdfast',
      ...(this.#isOurs(holder, clientIdOf(holder)) && hereUnlessKept(holder.owner)),
    };
  }

  /** Whether a hold is of this very engine object. Its id need not say so: on ZooKeeper each ticket has an id of its own. */
  #isOurs(holder: NamelessHolder, id = ''): boolean {
    const { ids, keeper } = this.#client;
    const isClients = id === ids.client || (id.length >= FEWEST_DIGITS && ids.client.startsWith(id));
    return isClients || keeper.find(holder.owner) !== undefined;
  }

  /**
   * The start of a hold is in the store already: its fence is the time of the grant (decision 5). A fence of a hold of another
   * program belongs to an earlier grant.
   */
  #heldForMs(store: Announcements, isOwn: boolean, { fence, since }: NamelessHolder): number | undefined {
    const nowMs = this.#client.clock.now() + this.#aheadMs;
    if (since !== undefined) return Math.round(Math.max(0, nowMs - since));
    const fenceUs = Number(fence ?? 0);
    const isTime = isOwn && store.fencesAreTimes && fenceUs >= LEAST_TIME_US;
    if (!isTime || fenceUs / 1000 > nowMs + MOST_AHEAD_MS) return undefined;
    return Math.round(Math.max(0, nowMs - fenceUs / 1000));
  }
}

function holderOf({ owner, fence, remainingMs, ...seen }: HolderView & HolderIdentity): Holder {
  const { program, client, label, heldForMs, inThisProcess } = seen;
  return withJsonForm({
    owner,
    fence: BigInt(fence),
    remainingMs,
    program,
    ...(client !== undefined && { client }),
    ...labelled(label),
    ...(heldForMs !== undefined && { heldForMs }),
    ...(inThisProcess !== undefined && { inThisProcess }),
  });
}

/** What is left of a hold after its release has no owner in any process: to re-enter it is no way in. */
function hereUnlessKept(owner: OwnerId): Pick<HolderIdentity, 'inThisProcess'> {
  return isKeptOwner(owner) ? {} : { inThisProcess: true };
}

function labelled(label: string | undefined): Pick<HolderIdentity, 'label'> {
  return label === undefined ? {} : { label };
}

/** The client of a holder: told by the store, or the first part of the id of an owner of ours. */
function clientIdOf(
  { owner, clientId }: NamelessHolder,
  kind = '',
  store?: Announcements,
): string | undefined {
  const end = owner.lastIndexOf(':');
  return clientId ?? store?.clientOf?.(owner, kind) ?? (end > 0 ? owner.slice(0, end) : undefined);
}
