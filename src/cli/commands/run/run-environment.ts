/** By which those are found who work under a hold, wherever they have gone: the marks of all holds, in words. */
export const MARKS = 'HOLDFAST_MARKS';

/** What the environment of the command says about its hold. */
export interface ToldToCommand {
  readonly names: readonly string[];
  /** One for each name, as the fences. */
  readonly owners: readonly string[];
  readonly fences: readonly bigint[];
  readonly engine: string;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
}

/** Which no other process has: the ids of owners are never used twice. */
export function markOf({ owners }: ToldToCommand): string {
  return owners[0] ?? '';
}

/** The environment of the command. Several names, their owners and fences are one to a line. */
export function runEnvironment(inherited: NodeJS.ProcessEnv, told: ToldToCommand): NodeJS.ProcessEnv {
  return {
    ...inherited,
    HOLDFAST_NAME: told.names.join('\n'),
    HOLDFAST_OWNER: told.owners.join('\n'),
    HOLDFAST_FENCE: told.fences.join('\n'),
    HOLDFAST_ENGINE: told.engine,
    HOLDFAST_DEADLINE: String(Math.floor(told.deadline)),
    // A `run` inside a `run` belongs to both, and its command is in no group of the outer one.
    [MARKS]: [inherited[MARKS], markOf(told)].filter(Boolean).join(' '),
  };
}
