import type { OwnerId } from '../../spi/rule.ts';
import type { Contact } from './contact.ts';
import type { Followed } from './followed.ts';
import type { TraceNotes } from './trace-acquire.ts';
import type { WaitLimit } from './wait-limit.ts';

/** On what terms an owner asks for a hold. */
export interface AcquireTerms extends WaitLimit {
  readonly leaseMs: number;
  /** Renewed by the keeper, or left to end by itself. */
  readonly renewed: boolean;
  /** The lock is taken for at least so long, also after its release. */
  readonly minHoldMs?: number;
  /** A single attempt: no waiting, no trace. */
  readonly once: boolean;
  /** It has waited in a line of this process, and is no newcomer to the store either. */
  readonly waited?: true;
  /**
   * What it knows of the store from a line of this process. An acquisition without one knows nothing yet: silence to the end
   * of its time is an outage, however late it could ask.
   */
  readonly contact?: Contact;
  /** Set where others of the same owner may wait for this acquisition. */
  readonly followed?: Followed;
  /** The owner of a hold that this one belongs to: the read side is taken under a write. */
  readonly under?: OwnerId;
  /** Set where the acquisition is traced. */
  readonly trace?: TraceNotes;
}
