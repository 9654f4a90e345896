import { AcquireTimeoutError, EngineError } from '../../spi/errors.ts';
import type { RequestEnd } from '../../spi/verbs/holding.ts';
import { provesAnswer } from './proves-answer.ts';

/** What the failure of an acquisition, or of a release, says to the attempts that follow it. */
export function requestEndOf(error: unknown): RequestEnd {
  if (error instanceof AcquireTimeoutError) return 'busy';
  if (provesAnswer(error)) return 'clear';
  return error instanceof EngineError ? 'silent' : 'left';
}
