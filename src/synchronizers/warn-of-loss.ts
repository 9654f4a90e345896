import type { LeaseLostError } from '../spi/errors.ts';

/** Warns of a loss that would otherwise end in silence: a disposal must not reject, and nothing reads `lost` or the event. */
export function warnOfLoss(loss: LeaseLostError): void {
  process.emitWarning(`${loss.message} Read hold.lost, or listen to the event "lost".`, {
    type: 'HoldfastWarning',
    code: 'HOLDFAST_LOST',
  });
}
