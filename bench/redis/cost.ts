import type { Column, Figures } from '../trial.ts';
import type { Spent } from './server-counts.ts';
import { totalOf } from './server-info.ts';

/** What one section, or one pair, cost the server. */
export function costOf(
  { calls, bytesIn, bytesOut }: Spent,
  count: number,
  what: 'pair' | 'section',
): Figures {
  return {
    [`EVALSHA a ${what}`]: (calls.get('evalsha') ?? 0) / count,
    [`calls a ${what}, in scripts too`]: totalOf(calls) / count,
    [`bytes a ${what} to the server`]: bytesIn / count,
    [`bytes a ${what} from it`]: bytesOut / count,
  };
}

export function costColumns(what: 'pair' | 'section'): Column[] {
  return [
    { figure: `EVALSHA a ${what}`, digits: 2 },
    { figure: `calls a ${what}, in scripts too`, digits: 2 },
    { figure: `bytes a ${what} to the server`, digits: 0 },
    { figure: `bytes a ${what} from it`, digits: 0 },
  ];
}
