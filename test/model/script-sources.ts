import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { sentText } from '../../scripts/lua/sent-text.mjs';

/** A script of the engine as its file has it. */
export interface ScriptSource {
  readonly name: string;
  readonly source: string;
  /** What the engine sends of it. */
  readonly sent: string;
  /** The digest that the engine calls it by. */
  readonly sha: string;
  readonly args: readonly string[];
}

const folder = new URL('../../src/engines/redis/scripts/', import.meta.url);

export function shaOf(source: string): string {
  return createHash('sha1').update(source).digest('hex');
}

function parse(file: string): ScriptSource {
  const source = readFileSync(new URL(file, folder), 'utf8');
  const sent = sentText(source);
  const [, list = ''] = /^-- ARGV:(.*)$/m.exec(source) ?? [];
  const args = list.split(',').map((one) => one.split(':')[0]!.trim());
  return { name: file.replace('.lua', ''), source, sent, sha: shaOf(sent), args };
}

export const scriptSources: readonly ScriptSource[] = readdirSync(folder)
  .filter((file) => file.endsWith('.lua'))
  .map(parse);

const bySha = new Map(scriptSources.map((script) => [script.sha, script]));

/** The script that a command calls, if it calls one of ours. */
export function calledBy(command: readonly string[]): ScriptSource | undefined {
  return command[0] === 'EVALSHA' ? bySha.get(command[1]!) : undefined;
}

/** Where a command has this argument of the script; -1 if the script takes none of that name. */
export function placeOf(script: ScriptSource, command: readonly string[], argument: string): number {
  const at = script.args.indexOf(argument);
  return at === -1 ? -1 : 3 + Number(command[2]) + at;
}
