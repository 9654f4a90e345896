import type { Answered } from './call.ts';
import type { RedisDriver, Reply } from '../driver.ts';

/** How many replicas must confirm a grant, and in what time. */
export interface Replicas {
  readonly atLeast: number;
  readonly timeoutMs: number;
}

export interface Confirming {
  /** Opens the connections at the first use, and returns the same ones later. */
  readonly open: () => Promise<RedisDriver>;
  /** How often these connections reconnected: each time the client may have sent again what was in flight. */
  readonly reconnects: number;
  /** As in `RedisDriver`, for these connections and not for the client's. */
  isUp(key: string): boolean;
  readonly connectionsMade: number;
  readonly replicas: Replicas;
}

/**
 * Sends a command with a WAIT directly behind it on the same connection, and returns how many replicas confirmed it. On
 * any other connection, or at another server of a cluster, a WAIT would count the replicas of other writes.
 */
export async function sendConfirmed(
  confirming: Confirming,
  key: string,
  command: readonly string[],
  copies: number,
): Promise<Answered> {
  const { replicas } = confirming;
  const driver = await confirming.open();
  const before = confirming.reconnects;
  const wait = ['WAIT', String(replicas.atLeast), String(replicas.timeoutMs)];
  const [done, counted] = await driver.sendTogether(key, [command, wait]);
  if (done === undefined || 'error' in done) throw done?.error ?? new Error('nothing was sent');
  const confirmed = counted !== undefined && 'reply' in counted ? Number(counted.reply) : 0;
  return {
    reply: done.reply as readonly Reply[],
    copies: copies + confirming.reconnects - before,
    confirmed,
  };
}
