import type { Kind, Kinds } from '../kinds.ts';
import type { Verbs } from '../rule.ts';
import type { Renewed } from '../verbs/holding.ts';
import type { HoldingProtocol, Protocol } from './protocol.ts';

type Renewing = Verbs & { readonly renew: { readonly ask: object; readonly answer: Renewed } };

/** The protocol of one kind: a holding protocol if its verbs include `renew`. */
export type ProtocolOf<K extends Kind> = Kinds[K]['verbs'] extends infer V extends Renewing
  ? HoldingProtocol<V, Kinds[K]['look']>
  : Protocol<Kinds[K]['verbs'], Kinds[K]['look']>;

/** One protocol for each synchronizer. An engine that lacks one lacks the factory, in its type and at run time. */
export type Protocols = { readonly [K in Kind]: ProtocolOf<K> };
