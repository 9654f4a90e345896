import type { Verdict } from '../verdict.ts';
import { inMarkdown } from './escaped.ts';
import { rounded } from './rounded.ts';

/** A promise and what became of it. */
export function promiseLine({ text, actual, least, most, bound, kept, outOfReach }: Verdict): string {
  const limit = 'atLeast' in bound ? `at least ${bound.atLeast}` : `at most ${bound.atMost}`;
  const range = least === most ? '' : ` (${rounded(least)} to ${rounded(most)} over the rounds)`;
  const why = outOfReach === undefined ? '' : `, and out of reach: ${outOfReach}`;
  const outcome = kept ? 'kept' : `**not kept**${why}`;
  return `${inMarkdown(text)}: ${limit}, and was ${rounded(actual)}${range}: ${outcome}`;
}
