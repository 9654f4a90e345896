import type { Reply } from '../driver.ts';

/** A script with its keys and arguments in place. */
export interface ScriptCall {
  readonly source: string;
  /** Its first two words are EVALSHA and the digest. */
  readonly command: readonly string[];
  /** The list that is meant where it answers with one number: what is asked most often is not answered at length. */
  readonly expandReply?: ((answer: number) => readonly Reply[]) | undefined;
}

/** What a script has answered, as a list. */
export function answerOf({ expandReply }: ScriptCall, reply: Reply): readonly Reply[] {
  return expandReply === undefined || Array.isArray(reply)
    ? (reply as readonly Reply[])
    : expandReply(Number(reply));
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

/** Redis counts leases in whole milliseconds, and a lease of none would end before it began. */
export function ceilMs(ms: number): number {
  return Math.max(1, Math.floor(ms));
}
