import type { Rule } from '../../src/spi/rule.ts';
import type { AcquireAsk, HoldingVerbs } from '../../src/spi/verbs/holding.ts';
import type { ForceAsk, Forced } from '../../src/spi/verbs/lock.ts';
import type { Kind } from './holding-run.ts';

/** The verbs that lock, election and monitor have in common. */
type ExclusiveVerbs<Ask extends AcquireAsk> = HoldingVerbs<Ask, never> & {
  readonly force: { readonly ask: ForceAsk; readonly answer: Forced };
};

type ExclusiveKind<S, L, Ask extends AcquireAsk> = Kind<S, ExclusiveVerbs<Ask>, L, Ask>;

/** Something that one owner at a time can hold. */
export function exclusiveKind<S, L, Ask extends AcquireAsk>(
  rule: Rule<S, ExclusiveVerbs<Ask>, L>,
  ask: ExclusiveKind<S, L, Ask>['ask'],
  more: Pick<ExclusiveKind<S, L, Ask>, 'ordered' | 'observed' | 'steady'>,
): ExclusiveKind<S, L, Ask> {
  return {
    rule,
    ask,
    acquire: (world, how, asked) => world[how]('acquire', asked),
    release: (world, { owner }) => world.step('release', { owner }),
    renew: (world, { owner }, leaseMs) => world.step('renew', { owner, leaseMs }),
    force: (world, _asked, fence) => world.step('force', fence),
    compatible: (asks) => asks.length <= 1,
    endsWithSession: true,
    ...more,
  };
}
