import type { RenewalOutcome, Renewal } from '../../spi/engine/protocol.ts';
import { protocolTraits } from '../../spi/engine/protocol-traits.ts';
import type { Protocols } from '../../spi/engine/protocols.ts';
import type { ReliableCells } from './reliable-cells.ts';
import { ruleBook } from './rule-book.ts';

/** All nine synchronizers on cells behind a wire. */
export function remoteProtocols(cells: ReliableCells): Protocols {
  const protocols = Object.fromEntries(
    Object.entries(ruleBook).map(([kind, rule]) => [
      kind,
      remoteProtocol(kind, Object.keys(rule.verbs), cells),
    ]),
  );
  return protocols as unknown as Protocols;
}

function remoteProtocol(kind: string, verbs: readonly string[], cells: ReliableCells) {
  const calls = verbs.map(
    (verb) => [verb, (name: string, ask: object) => cells.change(kind, name, verb, ask)] as const,
  );
  return {
    ...Object.fromEntries(calls),
    look: (name: string) => cells.look(kind, name),
    watch: (name: string, owner: string, heard: () => void) => cells.watch(kind, name, owner, heard),
    renewMany: (renewals: readonly Renewal<object>[]) =>
      Promise.all(renewals.map((one) => renew(kind, one, cells))),
    traits: protocolTraits(),
  };
}

async function renew(
  kind: string,
  { name, ask }: Renewal<object>,
  cells: ReliableCells,
): Promise<RenewalOutcome> {
  try {
    return (await cells.change(kind, name, 'renew', ask)) as RenewalOutcome;
  } catch (error) {
    return { kind: 'failed', error };
  }
}
