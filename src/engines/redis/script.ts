/** A script with its keys and arguments in place. */
export interface Prepared {
  readonly source: string;
  /** Its first two words are EVALSHA and the digest. */
  readonly command: readonly string[];
}

/** A Lua script and how it is called: by its digest, with named keys and arguments put in their places. */
export type Script<Parameters extends readonly unknown[]> = (...parameters: Parameters) => Prepared;

/** For the generated module. */
export function script<Parameters extends readonly unknown[]>(
  source: string,
  commandOf: (...parameters: Parameters) => readonly string[],
): Script<Parameters> {
  return (...parameters) => ({ source, command: commandOf(...parameters) });
}

/** The same call for a server that does not know the script yet: it carries the text, and the server keeps it. */
export function withSource({ source, command }: Prepared): readonly string[] {
  return ['EVAL', source, ...command.slice(2)];
}
