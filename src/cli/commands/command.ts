import type { Address } from '../address.ts';
import type { Arguments } from '../arguments.ts';
import type { CommandName } from './spec.ts';

export type GivenArguments = Extract<Arguments, { kind: 'given' }>;

/** Carries out a verb, and answers with the exit code. */
export type Command = (given: GivenArguments, address: Address) => Promise<number>;

/** The command behind each verb. Loaded on demand: the user waits for `run` to start. */
export const commands: Readonly<Record<CommandName, () => Promise<Command>>> = {
  run: async () => (await import('./run/run.ts')).run,
  hold: async () => (await import('./hold/hold.ts')).hold,
  elect: async () => (await import('./elect/elect.ts')).elect,
  observe: async () => (await import('./observe/observe.ts')).observe,
  latch: async () => (await import('./latch/latch.ts')).latch,
  barrier: async () => (await import('./barrier/barrier.ts')).barrier,
  list: async () => (await import('./list/list.ts')).list,
  inspect: async () => (await import('./inspect/inspect.ts')).inspect,
  token: async () => (await import('./token/token.ts')).token,
  wait: async () => (await import('./wait/wait.ts')).wait,
  release: async () => (await import('./release/release.ts')).release,
  watch: async () => (await import('./watch/watch.ts')).watch,
  ui: async () => (await import('./ui/ui.ts')).ui,
  doctor: async () => (await import('./doctor/doctor.ts')).doctor,
  schema: async () => (await import('./schema/schema.ts')).schema,
  bench: async () => (await import('./bench/bench.ts')).bench,
  completion: async () => (await import('./completion/completion.ts')).completion,
};
