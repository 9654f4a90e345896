import type { Protocols } from '../../../spi/engine/protocols.ts';
import type { Renewal } from '../../../spi/engine/protocol.ts';
import type { ProtocolTraits } from '../../../spi/engine/protocol-traits.ts';
import type { Busy, Granted, ReleaseAsk, RenewAsk } from '../../../spi/verbs/holding.ts';
import type { LockAsk } from '../../../spi/verbs/lock.ts';
import { forcedOf, renewedOf } from './answers.ts';
import { promotionRecord } from './promotions.ts';
import type { RedisContext } from '../redis-context.ts';
import { renewInChunks } from './renew-in-chunks.ts';
import { type ScriptCall, ceilMs } from '../requests/script.ts';
import { type HoldingForm, scriptedHolding } from './scripted-holding.ts';
import { lockLook, lockRaise, lockRenew } from '../scripts.generated.ts';

/** Limits of a request that breaks a hold: carried out once, and never late. The mark catches its copies. */
export interface ForceLimits {
  readonly mark: string;
  readonly notAfterMs: number;
  readonly markMs: number;
}

/** The holder whose hold may be broken; empty fields match any holder. */
export interface ExpectedHolder {
  readonly fence: string;
  readonly owner: string;
}

/** What differs between the plain and the fair lock. */
export interface LockForm extends Omit<
  HoldingForm<LockAsk, ReleaseAsk, Granted | Busy>,
  'key' | 'id' | 'undo'
> {
  readonly force: (
    name: string,
    expected: ExpectedHolder,
    limits: ForceLimits,
    publish: string,
  ) => ScriptCall;
  readonly watch: Protocols['lock']['watch'];
  readonly traits: ProtocolTraits;
  /** The number of waiters: of the line that the server keeps, or of this process. */
  readonly waiters: (name: string, inLine: number) => number;
}

/** A lock in the layout of Redisson: a hash with a field for its owner, and a token beside it for the fence. */
export function lockProtocol(parts: RedisContext, form: LockForm): Protocols['lock'] {
  const { scripts, client, keys, pubSub, fenceRetentionMs: retentionMs } = parts;
  const { kind } = form;
  const { acquire, release } = scriptedHolding<LockAsk, ReleaseAsk, Granted | Busy>(parts, {
    ...form,
    key: (name) => keys.lock(name).lock,
    id: ({ owner }) => owner,
    undo: ({ owner }) => ({ owner }),
  });
  const callOn = (name: string, prepared: ScriptCall) => ({ kind, name, key: keys.of(name), ...prepared });

  const renewMany = (renewals: readonly Renewal<RenewAsk>[]) =>
    renewInChunks(
      parts,
      kind,
      renewals.map(({ name, ask }) => ({ key: keys.of(name), name, ask })),
      (chunk) =>
        lockRenew(
          { locks: chunk.map(({ key }) => key) },
          {
            retentionMs,
            leaseMs: ceilMs(chunk[0]!.ask.leaseMs),
            owners: chunk.map(({ ask }) => ask.owner),
          },
        ),
      // Nearly all holds have the same lease. To send a lease for each is a third of the bytes of a renewal.
      { together: ({ ask }) => ask.leaseMs },
    );

  return {
    acquire,
    release,
    renewMany,
    renew: async (name, ask) => renewedOf(await renewMany([{ name, ask }])),
    force: async (name, { fence, owner = '' }) => {
      const { publish } = await pubSub.get(() => scripts.subject(form.kind, name));
      const mark = keys.mark(name, client.ids.next());
      const expected = { fence: fence === undefined ? '' : String(fence), owner };
      const { reply } = await scripts.runLimited({
        kind,
        name,
        key: keys.of(name),
        prepare: (notAfterMs) =>
          form.force(name, expected, { mark, notAfterMs, markMs: scripts.markMs }, publish),
      });
      return forcedOf(reply);
    },
    raise: async (name, { owner, fence }) => {
      const { promoted, promotedMs } = promotionRecord(scripts.driver, keys.of(''), keys.of(name));
      const own = { lock: keys.of(name), token: keys.token(name), promoted };
      const raising = lockRaise(own, { owner, fence, retentionMs, promotedMs });
      const [answer, upMs] = await scripts.run(callOn(name, raising));
      return answer === 'raised' ? { kind: 'raised', upMs: Number(upMs) } : { kind: 'gone' };
    },
    look: async (name) => {
      const own = {
        lock: keys.of(name),
        token: keys.token(name),
        queue: keys.fairQueue(name),
        contributions: keys.fairContributions(name),
      };
      const [ttlMs, fence, inLine, owner] = await scripts.read(callOn(name, lockLook(own)));
      const waiters = form.waiters(name, Number(inLine));
      if (owner === undefined) return { holder: undefined, waiters };
      return {
        holder: { owner: String(owner), fence: Number(fence), remainingMs: Math.max(0, Number(ttlMs)) },
        waiters,
      };
    },
    watch: form.watch,
    traits: form.traits,
  };
}
