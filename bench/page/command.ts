import type { Speed, TrialRecord } from '../run-record.ts';

/** What to type to measure this again. */
export function commandOf({ engine, name }: TrialRecord, speed: Speed): string {
  const quick = speed === 'quick' ? ' --quick' : '';
  return `npm run bench -- --engine ${engine} --scenario '${name.replaceAll("'", `'\\''`)}'${quick}`;
}
