import { shown, subjectOf } from '../core/arguments.ts';
import { logged } from '../core/log-as.ts';
import { ExplicitOwner, USUAL_OWNER_LABEL } from '../core/reentry/owner.ts';
import type { Announcements } from '../spi/engine/announcements.ts';
import type { Protocols, UnraisedProtocols } from '../spi/engine/protocols.ts';
import type { Traits } from '../spi/engine/traits.ts';
import { argumentTypeError, type ErrorSubject } from '../spi/errors.ts';
import type { Kind } from '../spi/kinds.ts';
import type { Factories, Lock, Synchronizers } from '../spi/synchronizers.ts';
import type { EngineContext } from './context.ts';
import { kinds, type KindValues } from './kinds.ts';

/** What an engine brings to its {@link EngineContext}. */
export interface EngineParts<
  K extends Kind,
  T extends Traits = Traits,
  P extends UnraisedProtocols = Protocols,
> {
  readonly traits: T;
  /** How each kind is done in the store. A kind that is missing here is missing in the engine object, and in its type. */
  readonly protocols: Pick<P, K>;
  /** Refuses a name that this engine cannot keep, after the checks of all engines. */
  readonly checkName?: ((kind: K, name: string, subject: ErrorSubject) => void) | undefined;
  /** Where the clients of the store say who they are. Without it a holder is an id. */
  readonly announcements?: Announcements | undefined;
  /** Called when the engine object closes, after it released every hold. */
  readonly whenClosed?: (() => Promise<void> | void) | undefined;
}

/** Makes the object that users hold: one factory for each protocol, and nothing that the engine lacks. */
export function assemble<K extends Kind, T extends Traits = Traits>(
  context: EngineContext,
  parts: EngineParts<K, T>,
): Synchronizers<K> & { readonly traits: T } {
  const { client, session, subject } = context;
  const { traits, announcements } = parts;
  if (announcements !== undefined) client.names.open(announcements, context.card);
  let closing: Promise<void> | undefined;
  /**
   * Keeps its promise before it begins: a listener or a driver that is called while the client closes may close it again.
   * `closing ??= closeAll()` begins a second end there, and the first one overwrites the promise that the second waits for.
   */
  const close = (): Promise<void> => {
    if (closing !== undefined) return closing;
    let settle!: (closed: Promise<void>) => void;
    closing = new Promise<void>((resolve) => {
      settle = resolve;
    });
    settle(closeAll());
    return closing;
  };
  async function closeAll(): Promise<void> {
    await session.endAfter(client.close());
    await parts.whenClosed?.();
  }
  return {
    ...factoriesOf(context, parts),
    label: client.label,
    traits,
    owner: (name = USUAL_OWNER_LABEL) => {
      if (typeof name === 'string') return new ExplicitOwner(name, client);
      throw argumentTypeError(
        `${subject.resource}: the label of an owner must be a string, not ${shown(name)}.`,
        subject,
      );
    },
    on: (event, listener) => {
      const topic = client.events.topic(event);
      if (topic !== undefined && typeof listener === 'function') return topic.on(listener);
      const known = Object.keys(client.events).join(', ');
      throw argumentTypeError(`${subject.resource}: on needs an event (${known}) and a function.`, subject);
    },
    close,
    [Symbol.asyncDispose]: close,
    ...logged('Locks', () => ({ engine: client.label, scope: traits.scope, closed: client.closed })),
  };
}

/** The same for an engine whose locks cannot raise a fence: the type of its factories says so. */
export function assembleUnraised<K extends Kind, T extends Traits = Traits>(
  context: EngineContext,
  { protocols, ...parts }: EngineParts<K, T, UnraisedProtocols>,
): Synchronizers<K, Lock> & { readonly traits: T } {
  // At run time a lock is made without `raise` where its protocol has none.
  return assemble<K, T>(context, { ...parts, protocols: protocols as unknown as Pick<Protocols, K> });
}

function factoriesOf<K extends Kind>(
  { client }: EngineContext,
  { protocols, checkName }: EngineParts<K>,
): Pick<Factories, K> {
  const factoryOf = (kind: K) => {
    const { factory } = kinds[kind] as unknown as KindValues<never>;
    const make = factory(client, protocols[kind] as never) as (name: string, ...rest: unknown[]) => unknown;
    if (checkName === undefined) return make;
    return (name: string, ...rest: readonly unknown[]) => {
      const made = make(name, ...rest);
      checkName(kind, name, subjectOf(kind, name, client.label));
      return made;
    };
  };
  const offered = Object.keys(protocols) as K[];
  return Object.fromEntries(offered.map((kind) => [kind, factoryOf(kind)])) as unknown as Pick<Factories, K>;
}
