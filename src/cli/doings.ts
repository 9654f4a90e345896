import type { Address } from './address.ts';
import type { Arguments } from './arguments.ts';
import type { VerbName } from './verbs.ts';

export type Given = Extract<Arguments, { kind: 'given' }>;

/** Carries out a verb, and answers the exit code. */
export type Doing = (given: Given, address: Address) => Promise<number>;

/** How each verb is done. Loaded when it is asked for: somebody waits for `run` to start. */
export const doings: Readonly<Record<VerbName, () => Promise<Doing>>> = {
  run: async () => (await import('./run/run.ts')).run,
  list: async () => (await import('./looking/list.ts')).list,
  inspect: async () => (await import('./looking/inspect.ts')).inspect,
  token: async () => (await import('./looking/token.ts')).token,
  wait: async () => (await import('./looking/wait.ts')).wait,
  release: async () => (await import('./looking/release.ts')).release,
  watch: async () => (await import('./watch/watch.ts')).watch,
  doctor: async () => (await import('./doctor/doctor.ts')).doctor,
  schema: async () => (await import('./schema.ts')).schema,
  bench: async () => (await import('./bench/bench.ts')).bench,
  completion: async () => (await import('./completion/completion.ts')).completion,
};
