/** What the command is told about the hold it works under. */
export interface ToldToCommand {
  readonly names: readonly string[];
  /** One for each name, as the fences. */
  readonly owners: readonly string[];
  readonly fences: readonly bigint[];
  readonly engine: string;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
}

/** Which nobody else has: the ids of owners are never used twice. */
export function markOf({ owners }: ToldToCommand): string {
  return `HOLDFAST_OWNER=${ownersOf(owners)}`;
}

function ownersOf(owners: readonly string[]): string {
  return owners.join('\n');
}

/** The environment of the command. Several names, their owners and fences are one to a line. */
export function runEnvironment(inherited: NodeJS.ProcessEnv, told: ToldToCommand): NodeJS.ProcessEnv {
  return {
    ...inherited,
    HOLDFAST_NAME: told.names.join('\n'),
    HOLDFAST_OWNER: ownersOf(told.owners),
    HOLDFAST_FENCE: told.fences.join('\n'),
    HOLDFAST_ENGINE: told.engine,
    HOLDFAST_DEADLINE: String(Math.floor(told.deadline)),
  };
}
