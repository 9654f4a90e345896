import type { HolderIdentity, Program } from './api/client-card.ts';
import { isKeptOwner, lastOwner } from './kept-owner.ts';
import { plainText } from './plain-text.ts';

const PROGRAMS: Readonly<Record<Program, string>> = {
  holdfast: 'Holdfast',
  redisson: 'Redisson',
  spring: 'Spring',
  curator: 'Curator',
  other: 'another program',
};

/**
 * A holder as people call it: what its client has announced, or the program and the id that the store shows. What `minHoldMs` has
 * left of a hold is marked: an operator would look for a process that works, and it may have gone.
 */
export function holderName(holder: HolderIdentity & { readonly owner: string }): string {
  return isKeptOwner(holder.owner) ? `${lastHolderName(holder)}, kept` : lastHolderName(holder);
}

/** The same without the mark. */
export function lastHolderName(holder: HolderIdentity & { readonly owner: string }): string {
  const { client, label, program } = holder;
  const suffix = label === undefined ? '' : `, owner ${JSON.stringify(label)}`;
  if (client !== undefined) return `${clientName(client)}${suffix}`;
  const owner = plainText(shortOwner(lastOwner(holder.owner)));
  return program === 'holdfast' ? `${owner}${suffix}` : `${owner} (${PROGRAMS[program]})`;
}

/** Short, and still distinct: of an id of ours, its first digits and its number. */
export function shortOwner(owner: string): string {
  const [, client, rest] = /^([0-9a-f]{8})[0-9a-f-]{24,28}(:.+)?$/s.exec(owner) ?? [];
  return client === undefined ? owner : `${client}…${rest ?? ''}`;
}

function clientName({ name, host, pid }: NonNullable<HolderIdentity['client']>): string {
  return name === undefined ? `${host} (pid ${pid})` : `${name} (${host}, pid ${pid})`;
}

/** The name of the program that made a hold. */
export function programName(program: Program): string {
  return PROGRAMS[program];
}
