import { type ProtocolTraits, protocolTraits } from '../../spi/engine/protocol-traits.ts';
import type { LineContext } from './line-context.ts';

/** A ticket has no lease: the client that holds it ends the lease. The rest is as the engine says. */
export function lineTraits({ traits }: LineContext): ProtocolTraits {
  return protocolTraits({ ...traits, clientEndsLeases: true });
}
