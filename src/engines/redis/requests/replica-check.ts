import type { ErrorSubject } from '../../../spi/errors.ts';
import type { Answered } from './call.ts';
import type { Replicas } from './confirming.ts';
import { notConfirmed } from './server-errors.ts';

/** Decides whether enough replicas have confirmed a grant, a renewal or a change (soundness 12). */
export class ReplicaCheck {
  readonly #replicas: Replicas | undefined;

  constructor(replicas: Replicas | undefined) {
    this.#replicas = replicas;
  }

  /** Whether replicas have to confirm at all. */
  get isRequired(): boolean {
    return this.#replicas !== undefined;
  }

  isConfirmed({ confirmed }: Answered): boolean {
    return this.#replicas === undefined || confirmed >= this.#replicas.atLeast;
  }

  /** The error of an answer that too few replicas have confirmed. */
  errorFor({ confirmed }: Answered, subject: ErrorSubject): Error {
    return notConfirmed(confirmed, this.#replicas?.atLeast ?? 0, subject);
  }
}
