import type { Answered } from './call.ts';
import type { RedisDriver, Reply } from '../driver.ts';

/** How many replicas must confirm a grant, and how long they have for it. */
export interface Replicas {
  readonly atLeast: number;
  readonly timeoutMs: number;
}

export interface Confirming {
  /** Opened when it is first needed. */
  readonly open: () => Promise<RedisDriver>;
  /** How often its connections were made anew: a client may then have sent again what was under way. */
  readonly reconnects: number;
  /** As those of a driver: of the connections that carry what is confirmed, and not of the client's. */
  isUp(key: string): boolean;
  readonly connectionsMade: number;
  readonly replicas: Replicas;
}

/**
 * Sends a command with a WAIT right behind it on the same connection, and tells how many replicas have confirmed it. On
 * any other connection, or at another server of a cluster, a WAIT would speak of other writes.
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
