import type { CellStore } from '../../spi/engine/cells.ts';
import { type MaybeAsync, isPending } from '../../spi/maybe-async.ts';
import type { HoldingProtocol, Protocol, Renewal, RenewalOutcome } from '../../spi/engine/protocol.ts';
import { protocolTraits, type ProtocolTraits } from '../../spi/engine/protocol-traits.ts';
import type { Decide, Rule, Verbs } from '../../spi/rule.ts';
import type { Renewed } from '../../spi/verbs/holding.ts';

/** Any rule and any store of cells make a protocol: each verb is one atomic change of the cell of that name. */
export function cellProtocol<S, V extends Verbs, L>(
  rule: Rule<S, V, L>,
  cells: CellStore<S>,
): Protocol<V, L> {
  const protocol: Record<string, unknown> = {
    watch: cells.watch.bind(cells),
    look: (name: string) => cells.read(name, rule.look),
  };
  for (const [verb, decide] of Object.entries<Decide<S, never, unknown>>(rule.verbs)) {
    protocol[verb] = (name: string, ask: never) => cells.update(name, decide, ask);
  }
  return protocol as Protocol<V, L>;
}

type RenewableVerbs = { readonly renew: { readonly ask: object; readonly answer: Renewed } };

/** The same for what can be held. The holds of a batch live in different cells, so each is renewed by itself. */
export function holdingCellProtocol<S, V extends Verbs & RenewableVerbs, L>(
  rule: Rule<S, V, L>,
  cells: CellStore<S>,
  traits: Partial<ProtocolTraits> = {},
): HoldingProtocol<V, L> {
  const protocol = cellProtocol(rule, cells);
  const renewMany = (renewals: readonly Renewal<V['renew']['ask']>[]) => renewEach(renewals, protocol.renew);
  return { ...protocol, renewMany, traits: protocolTraits(traits) };
}

function renewEach<Ask>(
  renewals: readonly Renewal<Ask>[],
  renew: (name: string, ask: Ask) => MaybeAsync<Renewed>,
): MaybeAsync<readonly RenewalOutcome[]> {
  const outcomes = renewals.map(({ name, ask }): MaybeAsync<RenewalOutcome> => {
    try {
      const renewed = renew(name, ask);
      return isPending(renewed) ? renewed.catch(failed) : renewed;
    } catch (error) {
      return failed(error);
    }
  });
  return outcomes.some(isPending)
    ? Promise.all(outcomes.map(async (outcome) => outcome))
    : (outcomes as RenewalOutcome[]);
}

function failed(error: unknown): RenewalOutcome {
  return { kind: 'failed', error };
}
