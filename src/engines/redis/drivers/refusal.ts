import { argumentTypeError } from '../../../spi/errors.ts';

const wanted =
  'a client, cluster or sentinel of node-redis 5 or newer, or a client or cluster of ioredis 5 or newer, or of iovalkey';

/** Common mistakes, from the most specific to the most general: the members of such an object, and the remark. */
const strangers: readonly (readonly [names: readonly string[], remark: string])[] = [
  [['then'], 'this is a promise: await it first'],
  [['href', 'protocol'], 'this is an address: open it with connect(url)'],
  [['execute', 'totalClients'], 'this is a pool of node-redis: pass a client, one connection is enough'],
  [['defineCommand', 'status'], 'this is of ioredis 4 or older'],
  [['sendCommand', 'isOpen'], 'this is of node-redis 4 or older'],
  [['sendCommand'], 'this is the callback interface of a node-redis client: pass the client itself'],
];

export function refuse(reason: string): never {
  throw argumentTypeError(`redis: \`client\` ${reason}.`, { resource: 'client', engine: 'redis' });
}

export function refuseStranger(client: unknown): never {
  refuse(`must be ${wanted}; ${remarkOn(client)}`);
}

/** Refuses a client with a key prefix: its locks would have other names than those of other programs. */
export function refusePrefix(keyPrefix: unknown): void {
  if (keyPrefix === undefined || keyPrefix === null || keyPrefix === '') return;
  refuse('has a key prefix: pass one without, because the names of locks must be the same for every client');
}

/** Refuses a connection with subscriptions: it accepts no other commands. */
export function refuseSubscribed(isSubscribed: boolean): void {
  if (isSubscribed) refuse('has subscriptions: pass one without, for example client.duplicate()');
}

function remarkOn(client: unknown): string {
  if (typeof client === 'string') return 'this is a string: open an address with connect(url)';
  if (typeof client !== 'object' || client === null)
    return `this is ${client === null ? 'null' : typeof client}`;
  const found = strangers.find(([names]) => names.every((name) => name in client));
  return found?.[1] ?? 'this is something else';
}
