import type { Speed } from './run-record.ts';

/** What to type to measure one scenario again. */
export function commandOf(trial: { readonly engine: string; readonly name: string }, speed: Speed): string {
  const quick = speed === 'quick' ? ' --quick' : '';
  const name = trial.name.replaceAll("'", `'\\''`);
  return `npm run bench -- --engine ${trial.engine} --scenario '${name}'${quick}`;
}
