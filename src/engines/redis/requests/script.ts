import type { Reply } from '../driver.ts';

/** A script with its keys and arguments in place. */
export interface ScriptCall {
  readonly source: string;
  /** Begins with EVALSHA and the digest. */
  readonly command: readonly string[];
  /** Expands a reply of one number into the full list: the most frequent scripts reply with a number to save bytes. */
  readonly expandReply?: ((answer: number) => readonly Reply[]) | undefined;
}

/** The reply of a script, as a list. */
export function answerOf({ expandReply }: ScriptCall, reply: Reply): readonly Reply[] {
  return expandReply === undefined || Array.isArray(reply)
    ? (reply as readonly Reply[])
    : expandReply(Number(reply));
}

/** A Lua script, called by its digest with named keys and arguments. */
export type Script<Parameters extends readonly unknown[]> = (...parameters: Parameters) => ScriptCall;

/** Used by the generated module only. */
export function script<Parameters extends readonly unknown[]>(
  source: string,
  commandOf: (...parameters: Parameters) => readonly string[],
): Script<Parameters> {
  return (...parameters) => ({ source, command: commandOf(...parameters) });
}

/** The same call for a server without the script: it carries the source, and the server caches it. */
export function withSource({ source, command }: ScriptCall): readonly string[] {
  return ['EVAL', source, ...command.slice(2)];
}

/** Redis counts leases in whole milliseconds, and a lease of zero would end before it began. */
export function ceilMs(ms: number): number {
  return Math.max(1, Math.floor(ms));
}
