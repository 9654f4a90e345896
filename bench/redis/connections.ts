/** A client, and how a bare command goes over it. */
export interface Connection {
  /** Of any of the clients: the engine recognises it. */
  readonly client: never;
  readonly send: (command: readonly string[]) => Promise<unknown>;
  close(): void;
}

interface Ioredis {
  call(command: string, ...words: string[]): Promise<unknown>;
  once(event: 'ready', listener: () => void): unknown;
  disconnect(): void;
}

interface NodeRedis {
  connect(): Promise<unknown>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  sendCommand(command: string[], options: object): Promise<unknown>;
  destroy(): void;
}

async function overIoredis(client: Ioredis): Promise<Connection> {
  await new Promise<void>((resolve) => client.once('ready', resolve));
  return {
    client: client as never,
    send: ([name = '', ...words]) => client.call(name, ...words),
    close: () => client.disconnect(),
  };
}

/** Without the client's own time limit, as Holdfast sends: a timer for each command would only make the floor slower. */
const withoutTimer = { timeout: undefined };

async function overNodeRedis(client: NodeRedis): Promise<Connection> {
  client.on('error', () => undefined);
  await client.connect();
  return {
    client: client as never,
    send: (command) => client.sendCommand(command as string[], withoutTimer),
    close: () => client.destroy(),
  };
}

/** The newest of each client and the one before it, which most programs still have. */
export const connect = {
  'ioredis 5': async (port: number) => {
    const { Redis } = await import('ioredis');
    return overIoredis(new Redis(port));
  },
  'ioredis 6': async (port: number) => {
    const { Redis } = await import('ioredis-6');
    return overIoredis(new Redis(port));
  },
  'node-redis 5': async (port: number) => {
    const { createClient } = await import('redis-5');
    return overNodeRedis(createClient({ socket: { host: '127.0.0.1', port } }));
  },
  'node-redis 6': async (port: number) => {
    const { createClient } = await import('redis');
    return overNodeRedis(createClient({ socket: { host: '127.0.0.1', port } }));
  },
} as const satisfies Record<string, (port: number) => Promise<Connection>>;

export type ClientName = keyof typeof connect;
export const clientNames = Object.keys(connect) as ClientName[];
/** One of each kind: the one that all the others use too, and the newest of the other kind. */
export const clientOfEachKind: readonly ClientName[] = ['ioredis 5', 'node-redis 6'];
