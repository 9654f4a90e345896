import type { Json } from '../json.ts';
import type { AcquireAsk, HolderView, HoldingVerbs } from './holding.ts';
import type { LineView } from './line-view.ts';
import type { OwnerId } from '../rule.ts';
import type { ForceAsk, Forced } from './lock.ts';

/** What a candidate asks. */
export interface CampaignAsk extends AcquireAsk {
  /** What the leader publishes: an address, a name. */
  readonly value: Json;
}

/** The verbs of the election. */
export type ElectionVerbs = HoldingVerbs<CampaignAsk, never> & {
  /** Changes the leader's value, if the owner still leads. */
  readonly proclaim: {
    readonly ask: { readonly owner: OwnerId; readonly value: Json };
    readonly answer: { readonly kind: 'proclaimed' } | { readonly kind: 'gone' };
  };
  readonly force: { readonly ask: ForceAsk; readonly answer: Forced };
};

/** What a query shows of an election. */
export interface ElectionLook {
  readonly leader: (HolderView & { readonly value: Json }) | undefined;
  readonly candidates: number;
  /** The candidates that do not lead. Absent where the store does not know them. */
  readonly line?: LineView;
}
