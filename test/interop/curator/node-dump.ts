import type { ZooKeeperClient } from '../../../src/engines/zookeeper/client/zookeeper-client.ts';
import { isOwnTicketId } from '../../../src/engines/zookeeper/layout/ticket-id.ts';
import { ticketIdOf } from '../../../src/engines/zookeeper/layout/ticket-names.ts';

const SEQUENCE_CHARACTERS = 10;

/** The nodes at and below some paths, as docs/wire/curator.md shows them: a line for each, and what is in it. */
export async function nodeDumpOf(
  raw: ZooKeeperClient,
  ...paths: readonly string[]
): Promise<readonly string[]> {
  await raw.sync('/');
  const dumps = [];
  for (const path of paths) dumps.push(...(await linesOf(raw, path, path, '')));
  return dumps;
}

async function linesOf(
  raw: ZooKeeperClient,
  path: string,
  shown: string,
  indent: string,
): Promise<readonly string[]> {
  const [{ data, stat }, { names }] = await Promise.all([raw.getData(path), raw.getChildren(path)]);
  const life = stat.ephemeralOwner === 0n ? '' : `  ephemeral, of ${makerOf(shown)}`;
  const lines = [`${indent}${shown}${life}${contentOf(data)}`];
  for (const name of names.toSorted(bySequence))
    lines.push(...(await linesOf(raw, `${path}/${name}`, name, `${indent}  `)));
  return lines;
}

function makerOf(name: string): string {
  return isOwnTicketId(ticketIdOf(name)) ? 'Node' : 'Java';
}

/** Text as it is; bytes as their digits. */
function contentOf(data: Buffer): string {
  if (data.length === 0) return '';
  const text = data.toString('utf8');
  return /\p{Cc}/u.test(text) ? `  bytes ${data.toString('hex')}` : `  ${text}`;
}

/** An order in which the ids play no part. Nodes with one sequence are the two sides of one writer: the write is first. */
function bySequence(one: string, other: string): number {
  const key = (name: string): string =>
    name.startsWith('_c_') ? `${name.slice(-SEQUENCE_CHARACTERS)} ${name.includes('__READ__')}` : name;
  return key(one) < key(other) ? -1 : 1;
}
