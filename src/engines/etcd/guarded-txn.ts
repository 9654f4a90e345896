import type { Client } from '../../core/client.ts';
import { keepToHold } from '../../kernels/lines/keep-to-hold.ts';
import { ticketOfHold } from '../../kernels/lines/ticket-of-hold.ts';
import type { Hold } from '../../spi/api/hold.ts';
import { EngineError, type ErrorSubject, LeaseLostError, NotHeldError } from '../../spi/errors.ts';
import { compareCompareTarget } from './client/messages/etcd-messages.generated.ts';
import { EtcdError } from './client/transport/etcd-error.ts';
import type { EtcdExtras, KeyCheck, TxnStep } from './etcd-extras.ts';
import type { EtcdStore } from './etcd-store.ts';
import { explainEtcdError, isPassing } from './explain-etcd-error.ts';
import { isOwnTicketKey } from './layout/ticket-keys.ts';
import type { EtcdLine } from './lines/etcd-line.ts';

/** Writes of the user's own in one transaction with a comparison of the key of a hold. */
export class GuardedTxn implements Pick<EtcdExtras, 'check' | 'txn'> {
  readonly #store: EtcdStore;
  readonly #client: Client;
  readonly #line: EtcdLine;
  readonly #open: () => unknown;

  constructor(store: EtcdStore, client: Client, line: EtcdLine, open: () => unknown) {
    this.#store = store;
    this.#client = client;
    this.#line = line;
    this.#open = open;
  }

  check(hold: Hold): KeyCheck {
    hold.throwIfLost();
    const ticket = ticketOfHold(this.#client, hold);
    const sight = ticket && this.#line.sightOf(ticket.line, ticket.id);
    if (sight !== undefined) {
      keepToHold(hold);
      return { type: 'check', key: sight.key, createRevision: sight.createRevision };
    }
    throw new NotHeldError(
      'check(): the hold has no key of its own: it is none of a lock, a read-write lock or an election of this engine object, or reads under a write. Check the hold of the write.',
      this.#subject('check()'),
    );
  }

  async txn(steps: readonly TxnStep[]): Promise<bigint> {
    const subject = this.#subject('txn()');
    await this.#open();
    const checks = steps.filter((step) => step.type === 'check');
    const answer = await this.#send(steps, checks, subject);
    if (answer.succeeded) return answer.header!.revision;
    const failed = checks.find(
      ({ createRevision }, at) =>
        (answer.responses[at]?.responseRange?.kvs[0]?.createRevision ?? 0n) !== createRevision,
    )!;
    if (isOwnTicketKey(failed.key))
      throw new LeaseLostError(
        'txn(): the lock is no longer held, and nothing was written.',
        subject,
        'gone',
      );
    const cause = new EtcdError(
      'FAILED_PRECONDITION',
      `the create revision of "${failed.key}" is another one`,
    );
    throw new EngineError(`txn(): ${cause.message}. Nothing was written.`, subject, {
      retryable: false,
      cause,
    });
  }

  /** The keys are read in the same transaction if it fails: which of them has changed is known for sure. */
  async #send(steps: readonly TxnStep[], checks: readonly KeyCheck[], subject: ErrorSubject) {
    try {
      return await this.#store.liveness.client(subject).txn({
        compare: checks.map(({ key, createRevision }) => ({
          target: compareCompareTarget.CREATE,
          key: Buffer.from(key),
          createRevision,
        })),
        success: steps.flatMap((step) => {
          const key = Buffer.from(step.key);
          if (step.type === 'put') return { requestPut: { key, value: Buffer.from(step.value) } };
          return step.type === 'delete' ? { requestDeleteRange: { key } } : [];
        }),
        failure: checks.map(({ key }) => ({ requestRange: { key: Buffer.from(key), keysOnly: true } })),
      });
    } catch (error) {
      if (!(error instanceof EtcdError) || !isPassing(error)) throw explainEtcdError(error, subject);
      throw new EngineError(`txn(): ${error.message}. It may have been carried out.`, subject, {
        retryable: true,
        cause: error,
      });
    }
  }

  #subject(resource: string): ErrorSubject {
    return { resource, engine: this.#store.label };
  }
}
