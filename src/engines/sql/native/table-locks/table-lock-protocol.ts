import { subjectOf } from '../../../../core/arguments.ts';
import { YIELD_PACE, YieldAfterRun } from '../../../../core/queues/yield-after-run.ts';
import { EngineTime } from '../../../../kernels/requests/engine-time.ts';
import type { Protocols } from '../../../../spi/engine/protocols.ts';
import type { RenewalOutcome } from '../../../../spi/engine/protocol.ts';
import { protocolTraits } from '../../../../spi/engine/protocol-traits.ts';
import type { OwnerId } from '../../../../spi/rule.ts';
import type { Busy, Granted, Released, RenewAsk, Renewed } from '../../../../spi/verbs/holding.ts';
import type { ForceAsk, Forced, LockAsk, LockLook } from '../../../../spi/verbs/lock.ts';
import type { SqlValue } from '../../sql-client.ts';
import { uncommitted } from '../../sql-errors.ts';
import { WaiterCounts } from '../../../../kernels/waiter-counts.ts';
import { refusal } from '../native-error.ts';
import type { NativeParts } from '../native-parts.ts';
import { repeatStatement } from './repeat-statement.ts';
import { type RowAttempt, RowAttempts } from './row-attempts.ts';
import {
  CLOCK_DIFFERENCE_MS,
  springLockKey,
  type SpringTable,
  tableLockStatements,
  tableName,
  uuidOf,
} from './table-lock-statements.ts';

const kind = 'tableLock';
/** Java polls every 100 ms; so do we, with jitter so that waiters do not poll in step. */
const POLL_MS = 100;
const JITTER = 0.2;

/**
 * The locks of one region of Spring Integration's table: one row each, with the id of its holder. Java compares that id
 * with the id of its own registry and with nothing else, so ours may be new for each acquisition.
 */
export function tableLockProtocol(parts: NativeParts, table: SpringTable, region: string): Protocols['lock'] {
  const { client, open, lateAfterMs } = parts;
  const statements = tableLockStatements(table);
  const yielding = new YieldAfterRun(client.clock, YIELD_PACE.polling);
  /** The fences of this process's holds: the table has no column for them. */
  const fences = new Map<OwnerId, number>();
  const waiting = new WaiterCounts();
  const time = new EngineTime(client.clock);
  const attempts = new RowAttempts(client.clock, lateAfterMs);
  const missing = `There is no table ${tableName(table)} as Spring Integration has it in layout ${table.layout}.`;

  const run = (name: string, text: string, values: readonly SqlValue[], attempt?: RowAttempt) =>
    repeatStatement(parts, subjectOf(kind, name, client.label), missing, text, values, attempt);

  function noteTime(microseconds: SqlValue | undefined, askedAt: number): void {
    if (microseconds !== undefined && microseconds !== null)
      time.noteTime(Number(microseconds) / 1000, askedAt);
  }

  /**
   * The limit of an acquisition by the database's clock, in microseconds: one that arrives later takes no effect
   * (soundness 3). Its sender has given up by then, and no client would renew or release what it takes.
   */
  async function readLimit(name: string): Promise<number> {
    if (time.slackMs() > lateAfterMs / 10) await askTime(name);
    return Math.ceil((time.atLeast() + lateAfterMs) * 1000);
  }

  const busyFor = (remainingMs: number): Busy => {
    const pollMs = POLL_MS * (1 + JITTER * (2 * client.random.fraction() - 1));
    return { kind: 'busy', againInMs: Math.min(pollMs, Math.max(1, remainingMs + CLOCK_DIFFERENCE_MS)) };
  };

  /** Answers with the fence of the grant, or with what remains of another holder's lease. */
  const take = table.engine === 'postgres' ? takeAtOnce : takeStepByStep;

  async function takeAtOnce(
    name: string,
    ask: LockAsk,
    attempt: RowAttempt,
  ): Promise<{ fence: number } | { remainingMs: number }> {
    const values = [springLockKey(name), region, ask.owner, ask.leaseMs, attempt.limit];
    const askedAt = client.clock.now();
    const { rows } = await run(name, statements.acquire, values, attempt);
    const [fence = null, remainingMs, microseconds] = rows[0] ?? [];
    noteTime(microseconds, askedAt);
    // No other lease is left: another client has inserted the first row at the same time, or the limit has passed.
    return fence === null ? { remainingMs: Number(remainingMs ?? 0) } : { fence: Number(fence) };
  }

  async function takeStepByStep(
    name: string,
    ask: LockAsk,
    attempt: RowAttempt,
  ): Promise<{ fence: number } | { remainingMs: number }> {
    const { owner, leaseMs } = ask;
    const key = springLockKey(name);
    const askedAt = client.clock.now();
    const [holder, remaining, seen, commits] =
      (await run(name, statements.read, [key, region])).rows[0] ?? [];
    noteTime(seen, askedAt);
    refuseUncommitted(name, commits);
    const remainingMs = Number(remaining ?? 0);
    if (holder !== undefined && holder !== owner && remainingMs + CLOCK_DIFFERENCE_MS >= 0)
      return { remainingMs };
    const put =
      holder === undefined
        ? await run(name, statements.insert, [key, region, owner, leaseMs, attempt.limit], attempt)
        : undefined;
    if (put?.changed !== 1) {
      const values = [owner, leaseMs, key, region, owner, attempt.limit];
      const taken = await run(name, statements.take, values, attempt);
      if (taken.changed === 0) {
        // Another client was quicker, or this connection commits nothing, which no row showed.
        await askTime(name);
        return { remainingMs: 0 };
      }
    }
    // Reads the fence after the grant, so that it is higher than that of the holder before.
    return { fence: await askTime(name) };
  }

  async function askTime(name: string): Promise<number> {
    const askedAt = client.clock.now();
    const [now, commits] = (await run(name, statements.microseconds, [])).rows[0] ?? [];
    noteTime(now, askedAt);
    refuseUncommitted(name, commits);
    return Number(now);
  }

  function refuseUncommitted(name: string, commits: SqlValue | undefined): void {
    if (Number(commits ?? 1) !== 1) throw uncommitted(subjectOf(kind, name, client.label));
  }

  async function acquire(name: string, ask: LockAsk): Promise<Granted | Busy> {
    const pauseMs = ask.wait ? yielding.pauseMs(name) : 0;
    if (pauseMs > 0) return { kind: 'busy', againInMs: pauseMs };
    const attempt = attempts.begin(ask.owner);
    let taken: { fence: number } | { remainingMs: number };
    try {
      await open();
      const limit = await readLimit(name);
      // The owner has left while we read the time. Its release found nothing, and no other would follow this attempt.
      if (attempt.isWithdrawn) return busyFor(0);
      taken = await attempts.send(attempt, limit, () => take(name, ask, attempt));
    } finally {
      attempts.end(ask.owner, attempt);
    }
    // The owner has left. Its repeated release takes back what was granted too late.
    if (attempt.isWithdrawn) return busyFor(0);
    if ('remainingMs' in taken) {
      yielding.noteBusy(name);
      return busyFor(taken.remainingMs);
    }
    fences.set(ask.owner, taken.fence);
    yielding.noteGrant(name, ask.leaseMs);
    return { kind: 'granted', fence: taken.fence, fences: 1, remainingMs: ask.leaseMs };
  }

  async function release(name: string, owner: OwnerId): Promise<Released> {
    const until = attempts.withdraw(owner);
    const { changed, again } = await run(name, statements.release, [springLockKey(name), region, owner]);
    const wasHeld = fences.delete(owner);
    attempts.forget(owner);
    if (until !== undefined) client.background(releaseAgain(name, owner, until));
    // After an unknown outcome the first copy may have released it.
    if (changed === 0 && !again) return { kind: 'not-held' };
    if (wasHeld) yielding.noteRelease(name, true);
    return { kind: 'released', others: 0 };
  }

  /**
   * Releases once more after `until`: an acquisition may be on its way behind the first release, and the table has no
   * place for a tombstone. Once its limit has passed, whatever it wrote is deleted.
   */
  async function releaseAgain(name: string, owner: OwnerId, until: number): Promise<void> {
    await client.sleep(until - client.clock.now());
    await run(name, statements.release, [springLockKey(name), region, owner]);
  }

  async function renew(name: string, { owner, leaseMs }: RenewAsk): Promise<Renewed> {
    const { changed } = await run(name, statements.renew, [leaseMs, springLockKey(name), region, owner]);
    return changed > 0 ? { kind: 'renewed', remainingMs: leaseMs } : { kind: 'gone' };
  }

  async function look(name: string): Promise<LockLook> {
    const [owner, remaining] =
      (await run(name, statements.read, [springLockKey(name), region])).rows[0] ?? [];
    const remainingMs = Number(remaining ?? -1);
    const waiters = waiting.count(name);
    if (owner === undefined || owner === null || remainingMs < 0) return { holder: undefined, waiters };
    const holder = { owner: String(owner), fence: fences.get(String(owner)) ?? 0, remainingMs };
    return { holder, waiters };
  }

  /** With a fence only if this process holds the lock: the table has no fences of other holders. */
  async function force(name: string, ask: ForceAsk): Promise<Forced> {
    const { holder } = await look(name);
    if (holder === undefined) return { kind: 'not-forced' };
    if (ask.fence !== undefined && ask.fence !== holder.fence) return { kind: 'not-forced' };
    if (ask.owner !== undefined && ask.owner !== holder.owner) return { kind: 'not-forced' };
    const { changed } = await run(name, statements.release, [springLockKey(name), region, holder.owner]);
    return changed > 0 ? { kind: 'forced', holder } : { kind: 'not-forced' };
  }

  return {
    // A UUID, as Java's ids: a column of type `char(36)` would pad anything shorter. Of version 8, which Java's are not.
    traits: protocolTraits({ newOwner: () => uuidOf(client.random.id()).replace(/^(.{14})./u, '$18') }),
    acquire,
    release: (name, { owner }) => release(name, owner),
    renew,
    renewMany: (renewals) =>
      Promise.all(
        renewals.map(async ({ name, ask }): Promise<RenewalOutcome> =>
          renew(name, ask).catch((error: unknown) => ({ kind: 'failed' as const, error })),
        ),
      ),
    force,
    raise: (name) =>
      Promise.reject(refusal(subjectOf(kind, name, client.label), 'its fence cannot be raised.')),
    look,
    // A release sends no message.
    watch: (name) => waiting.watch(name),
  };
}
