import type { Verdict } from '../verdict.ts';
import { inMarkdown } from './escaped.ts';
import { rounded } from './rounded.ts';

/** A promise and what became of it. */
export function promiseLine(verdict: Verdict): string {
  const { text, actual, least, most, bound, kept, outOfReach, crashed } = verdict;
  const limit = 'atLeast' in bound ? `at least ${bound.atLeast}` : `at most ${bound.atMost}`;
  if (crashed !== undefined)
    return `${inMarkdown(text)}: ${limit}, and ${inMarkdown(crashed)} crashed: **not kept**`;
  const range = least === most ? '' : ` (${rounded(least)} to ${rounded(most)} over the rounds)`;
  const why = outOfReach === undefined ? '' : `, and out of reach: ${outOfReach}`;
  const outcome = kept ? 'kept' : `**not kept**${why}`;
  return `${inMarkdown(text)}: ${limit}, and was ${rounded(actual)}${range}: ${outcome}`;
}
