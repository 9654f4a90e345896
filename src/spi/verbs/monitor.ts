import type { Json } from '../json.ts';
import type {
  AcquireAsk,
  Busy,
  Granted,
  HolderView,
  OwnerAsk,
  Released,
  RenewAsk,
  Renewed,
} from './holding.ts';
import type { LineView } from './line-view.ts';
import type { ForceAsk, Forced } from './lock.ts';

/** What a section asks to enter. */
export interface EnterAsk extends AcquireAsk {
  /** The guarded state of a monitor before its first use. */
  readonly initial: Json;
  /** Set when a wait on a condition has timed out: leave its queue and stand at the end of the entry queue. */
  readonly stopWaiting?: true;
}

/** Whom a section wakes: one waiter of the condition, or all. */
export interface Signal {
  readonly condition: string;
  readonly all: boolean;
}

/** What a section did to the monitor since it was last entered; it is written only if the owner still holds it. */
export interface Changes {
  /** The new guarded state, boxed so that "unchanged" and "null" differ. */
  readonly write?: { readonly value: Json };
  readonly signals: readonly Signal[];
}

/** The section is in. */
export type Entered = Granted & {
  readonly value: Json;
  /** Whether a signal brought the owner back, or its own time-out. */
  readonly signalled: boolean;
};

/** The verbs of the monitor. */
export type MonitorVerbs = {
  readonly acquire: { readonly ask: EnterAsk; readonly answer: Entered | Busy };
  /** Leaves without writing, or leaves any queue; a signal that the owner had received is passed on (soundness 20). */
  readonly release: { readonly ask: OwnerAsk; readonly answer: Released };
  readonly renew: { readonly ask: RenewAsk; readonly answer: Renewed };
  /** Writes, signals and leaves in one step. */
  readonly exit: {
    readonly ask: OwnerAsk & Changes;
    readonly answer: { readonly kind: 'left' } | { readonly kind: 'gone' };
  };
  /** Writes, signals, leaves and joins the condition's queue in one step. */
  readonly wait: {
    readonly ask: OwnerAsk & Changes & { readonly condition: string; readonly interestMs: number };
    readonly answer: { readonly kind: 'waiting' } | { readonly kind: 'gone' };
  };
  readonly force: { readonly ask: ForceAsk; readonly answer: Forced };
};

/** What a query shows of a monitor; `value` is undefined before its first use. */
export interface MonitorLook {
  readonly value: Json | undefined;
  readonly holder: HolderView | undefined;
  readonly entering: number;
  /** Those who wait to enter. Absent where the store does not know them. */
  readonly line?: LineView;
  readonly waiting: Readonly<Record<string, number>>;
}
