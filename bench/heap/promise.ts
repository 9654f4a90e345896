import type { Promised } from '../trial.ts';
import { HEAP_FIGURE } from './thrifty.ts';

/** That each takes no more than so many bytes. */
export function atMostBytes(ours: string, what: string, atMost: number): Promised {
  return {
    text: `bytes of a ${what}, ${ours}`,
    of: [ours],
    value: (figureOf) => figureOf(ours, HEAP_FIGURE),
    bound: { atMost },
    over: 'median',
  };
}
