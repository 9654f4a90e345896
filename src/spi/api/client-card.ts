/** Which program made a hold: a client of this library, or another program that shares the layout of the store. */
export type Program = 'holdfast' | 'redisson' | 'spring' | 'curator' | 'other';

/** What a client announces about itself, once, beside the records of the store. Every user of the store that may read can read it. */
export interface ClientCard {
  /** The host name of its machine, or of its container. */
  readonly host: string;
  /** The id of its process on that host. */
  readonly pid: number;
  /** What the process runs: the file name of its script. */
  readonly command: string;
  /** The option `name` of the engine object. */
  readonly name?: string;
}

/** Who is behind a hold, as far as the store knows. */
export interface HolderIdentity {
  /** `holdfast` of any process, or another program that shares the layout of the store. */
  readonly program: Program;
  /** What the client of the holder has announced. Missing for other programs, and for a client that announces nothing. */
  readonly client?: ClientCard;
  /** The label of the owner that holds, if it was made with one: `locks.owner('checkout')`. */
  readonly label?: string;
  /**
   * How long the store has granted it, by the store's clock; on ZooKeeper how long ago the holder joined the line. Missing for a hold
   * whose start the store does not keep.
   */
  readonly heldForMs?: number;
  /** Set if an owner of this very process holds it. */
  readonly inThisProcess?: true;
}
