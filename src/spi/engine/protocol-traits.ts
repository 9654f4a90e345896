import type { OwnerId } from '../rule.ts';

/**
 * What the protocol of something that can be held tells about its store, besides its verbs. Every member has a value: a
 * protocol makes the object with {@link protocolTraits} and names only what differs, so none can be left out on the way
 * from the engine to the core.
 *
 * The tempting alternative is a set of optional members of the protocol itself. Each layer that wraps a protocol then copies
 * the ones it knows, and one that it does not know is ignored in silence.
 *
 * Not to be confused with `Traits`, which tells users and the suites how whole engines differ.
 */
export interface ProtocolTraits {
  /**
   * Whether a watch would be in place at once, because this process has one for another waiter. An acquisition then watches
   * before its first attempt: that costs one request less than to try, watch and try again.
   */
  readonly isSubscribed: (name: string) => boolean;
  /**
   * Whether messages said that another client has held the name since this client last released it; false if that is not
   * known. Answers at once, without a request to the store: it spares a client that would yield (soundness 15) the pause.
   */
  readonly sawOtherHolder: (name: string) => boolean;
  /**
   * What the caller's own clock showed when the last step was decided, for a store that answers at once by that clock: the
   * caller need not read it again. Undefined for every other store.
   */
  readonly decidedAt: (() => number) | undefined;
  /** Makes the id of an acquisition where the store needs another form than the client's. Never the same id twice. */
  readonly newOwner: (() => OwnerId) | undefined;
  /** The store keeps no leases: the client that acquired releases when a lease ends. */
  readonly clientEndsLeases: boolean;
  /** How many permits one acquisition may take, where the store keeps an entry for each. */
  readonly mostPermits: number;
  /**
   * Programs of another make share the record of a hold and may cut its time in the store. The keeper then looks after every
   * hold, also one that is not renewed: the store restores what it had promised, or answers that the hold is gone.
   */
  readonly othersCutLeases: boolean;
  /**
   * The store queues the waiter inside `acquire`, from its second attempt on, and answers when the thing is free or a while
   * is over: an attempt that is unanswered when the waiter's time ends is contention and no outage.
   */
  readonly attemptsWait: boolean;
  /**
   * Where the store keeps a line: waiters of one process that come at the same time may share a ticket, by asking for as many
   * fences. For stores to which the way is long.
   */
  readonly batchesWaiters: boolean;
  /** A hold with a lease of its own stays in the store when its client closes: another client may have its id. */
  readonly survivesClose: boolean;
}

const never = (): boolean => false;

/** All traits of a protocol: those that differ, and the usual value of every other. */
export function protocolTraits(differing: Partial<ProtocolTraits> = {}): ProtocolTraits {
  // One literal for all protocols: the acquisition reads traits on its way to the store, and objects of one shape are read fastest.
  return {
    isSubscribed: differing.isSubscribed ?? never,
    sawOtherHolder: differing.sawOtherHolder ?? never,
    decidedAt: differing.decidedAt,
    newOwner: differing.newOwner,
    clientEndsLeases: differing.clientEndsLeases ?? false,
    mostPermits: differing.mostPermits ?? Infinity,
    othersCutLeases: differing.othersCutLeases ?? false,
    attemptsWait: differing.attemptsWait ?? false,
    batchesWaiters: differing.batchesWaiters ?? false,
    survivesClose: differing.survivesClose ?? false,
  };
}
