import { keepToHold } from '../../kernels/lines/keep-to-hold.ts';
import { EngineError, LeaseLostError, NotHeldError } from '../../spi/errors.ts';
import type { Hold } from '../../spi/api/hold.ts';
import type { MultiResult } from './client/protocol/multi.ts';
import { ZooKeeperError } from './client/protocol/zookeeper-error.ts';
import type { MultiStep } from './client/zookeeper-client.ts';
import { isPassing } from './explain-error.ts';
import { markOf } from './layout/ticket-names.ts';
import type { ZooKeeperExtras } from './zookeeper-extras.ts';
import type { ZooKeeperLine, ZooKeeperLineOptions } from './lines/zookeeper-line.ts';

const CHECK = 'check()';
const MULTI = 'multi()';

/**
 * Writes of the user's own in one transaction with a check of a lock node. The number of a node is not compared: a ticket has an id
 * in its name that is used once, so a node of that name is that ticket.
 */
export class GuardedMulti implements Pick<ZooKeeperExtras, 'check' | 'multi'> {
  readonly #options: ZooKeeperLineOptions;
  readonly #line: ZooKeeperLine;
  readonly #open: () => unknown;

  constructor(options: ZooKeeperLineOptions, line: ZooKeeperLine, open: () => unknown) {
    this.#options = options;
    this.#line = line;
    this.#open = open;
  }

  check(hold: Hold): MultiStep {
    hold.throwIfLost();
    const path = this.#line.pathOf(hold.fence);
    if (path !== undefined) {
      keepToHold(hold);
      return { type: 'check', path: path.slice(this.#options.root.length) };
    }
    throw new NotHeldError(
      `${CHECK}: the hold is none of a lock, a read-write lock or an election of this engine object.`,
      this.#subject(CHECK),
    );
  }

  async multi(steps: readonly MultiStep[]): Promise<readonly MultiResult[]> {
    const { root, access, liveness } = this.#options;
    await this.#open();
    const placed = steps.map((step) => ({
      ...(step.type === 'create' && { access }),
      ...step,
      path: root + step.path,
    }));
    try {
      const results = await liveness.client(this.#subject(MULTI)).multi(placed);
      return results.map((each) =>
        each.kind === 'created' ? { ...each, path: each.path.slice(root.length) } : each,
      );
    } catch (error) {
      throw this.#explained(error, steps);
    }
  }

  #explained(error: unknown, steps: readonly MultiStep[]): unknown {
    if (!(error instanceof ZooKeeperError)) return error;
    const subject = this.#subject(MULTI);
    const step = error.step === undefined ? undefined : steps[error.step];
    if (error.code === 'NO_NODE' && step?.type === 'check' && isTicket(step.path))
      return new LeaseLostError(
        `${MULTI}: the lock is no longer held, and nothing was written.`,
        subject,
        'gone',
      );
    const isUnknown = isPassing(error);
    const outcome = isUnknown ? 'It may have been carried out.' : 'Nothing was written.';
    return new EngineError(`${MULTI}: ${error.message}. ${outcome}`, subject, {
      retryable: isUnknown,
      cause: error,
    });
  }

  #subject(resource: string) {
    return { resource, engine: this.#options.label };
  }
}

function isTicket(path: string): boolean {
  return markOf(path.slice(path.lastIndexOf('/') + 1)) !== undefined;
}
