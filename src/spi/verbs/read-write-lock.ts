import type { AcquireAsk, HolderView, HoldingVerbs, OwnerAsk, RenewAsk } from './holding.ts';
import type { LineView } from './line-view.ts';
import type { ForceAsk, Forced } from './lock.ts';

/** The side of a read-write lock. */
export type Side = 'read' | 'write';

/** A reader that asks for the write side would wait for itself: refused at once. */
export interface UpgradeRefused {
  readonly kind: 'upgrade';
}

/** What an acquisition of one side asks. */
export type ReadWriteAsk = AcquireAsk & { readonly side: Side };
/** An ask that names its owner and a side. */
export type SideAsk = OwnerAsk & { readonly side: Side };
/** What the renewal of one side asks. */
export type SideRenewAsk = RenewAsk & { readonly side: Side };

/** The verbs of the read-write lock. */
export type ReadWriteLockVerbs = Omit<HoldingVerbs<ReadWriteAsk, UpgradeRefused>, 'release' | 'renew'> & {
  readonly release: {
    readonly ask: SideAsk;
    readonly answer: HoldingVerbs<ReadWriteAsk, UpgradeRefused>['release']['answer'];
  };
  readonly renew: {
    readonly ask: SideRenewAsk;
    readonly answer: HoldingVerbs<ReadWriteAsk, UpgradeRefused>['renew']['answer'];
  };
  /** Breaks the writer, or all readers; never both. */
  readonly force: { readonly ask: ForceAsk & { readonly side: Side }; readonly answer: Forced };
};

/** What a query shows of a read-write lock. */
export interface ReadWriteLockLook {
  readonly writer: HolderView | undefined;
  readonly readers: readonly HolderView[];
  readonly waiters: { readonly read: number; readonly write: number };
  /** Absent where the store does not know who waits. */
  readonly line?: LineView;
}
