import type { Reply } from '../driver.ts';

/** A script with its keys and arguments in place. */
export interface ScriptCall {
  readonly source: string;
  /** Its first two words are EVALSHA and the digest. */
  readonly command: readonly string[];
  /** The list that is meant where it answers with one number: what is asked most often is not answered at length. */
  readonly spelledOut?: ((answer: number) => readonly Reply[]) | undefined;
}

/** What a script has answered, as a list. */
export function answerOf({ spelledOut }: ScriptCall, reply: Reply): readonly Reply[] {
  return spelledOut === undefined || Array.isArray(reply)
    ? (reply as readonly Reply[])
    : spelledOut(Number(reply));
}

/** A Lua script and how it is called: by its digest, with named keys and arguments put in their places. */
export type Script<Parameters extends readonly unknown[]> = (...parameters: Parameters) => ScriptCall;

/** For the generated module. */
export function script<Parameters extends readonly unknown[]>(
  source: string,
  commandOf: (...parameters: Parameters) => readonly string[],
): Script<Parameters> {
  return (...parameters) => ({ source, command: commandOf(...parameters) });
}

/** The same call for a server that does not know the script yet: it carries the text, and the server keeps it. */
export function withSource({ source, command }: ScriptCall): readonly string[] {
  return ['EVAL', source, ...command.slice(2)];
}
