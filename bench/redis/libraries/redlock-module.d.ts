/** What we use of it: its own types are not where its `exports` would let them be found. */
declare module 'redlock' {
  import type { Redis } from 'ioredis';

  export interface Settings {
    readonly retryCount: number;
    readonly retryDelay?: number;
    readonly retryJitter?: number;
  }

  class Redlock {
    constructor(clients: readonly Redis[], settings: Settings);
    acquire(keys: string[], leaseMs: number): Promise<{ release(): Promise<unknown> }>;
  }

  export { Redlock as default };
}
