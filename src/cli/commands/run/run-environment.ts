/**
 * The variable by which the processes under a hold are found, wherever they have gone: the marks of all their holds,
 * separated by blanks.
 */
export const MARKS = 'HOLDFAST_MARKS';

/** What the environment tells the command about its hold. */
export interface ToldToCommand {
  readonly names: readonly string[];
  /** One for each name, like the fences. */
  readonly owners: readonly string[];
  readonly fences: readonly bigint[];
  readonly engine: string;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
}

/** The mark of a run, which no other run has: the ids of owners are never used twice. */
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
    // A `run` inside a `run` belongs to both, and its command is in no process group of the outer one.
    [MARKS]: [inherited[MARKS], markOf(told)].filter(Boolean).join(' '),
  };
}
