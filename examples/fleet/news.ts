/** What a worker tells the demo. Its locks are in Redis alone: the demo only prints this. */
export interface News {
  readonly what: 'holds' | 'done' | 'leads' | 'reported' | 'failed';
  /** The lock, the election, the time of a report, or a message. */
  readonly name: string;
  /** As text: JSON has no bigint. */
  readonly fence?: string;
}

export const CUSTOMERS = ['customer:1', 'customer:2', 'customer:3', 'customer:4'];
export const ELECTION = 'dispatcher';
export const REPORT_EVERY_MS = 5_000;

/** Short, so that a reader of the demo need not wait half a minute until the lock of a killed worker is free. */
export const LEASE_MS = 2_000;
