import { protocolTraits } from '../../spi/engine/protocol-traits.ts';
import type { Protocols } from '../../spi/engine/protocols.ts';
import { remoteProtocols } from './remote-protocols.ts';
import type { ReliableCells } from './reliable-cells.ts';

/** What is no line, over a store without a clock: nothing in it ends by itself but a session, so the client ends leases. */
export function clocklessProtocols(cells: ReliableCells): Pick<Protocols, 'latch' | 'barrier' | 'monitor'> {
  const { latch, barrier, monitor } = remoteProtocols(cells);
  return { latch, barrier, monitor: { ...monitor, traits: protocolTraits({ clientEndsLeases: true }) } };
}
