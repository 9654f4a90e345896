import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../src/engines/sql/clients/open-database.ts';
import { startPostgres } from '../../fixtures/sql/postgres-server.ts';
import { describeWith } from '../../fixtures/sql/sql-binaries.ts';
import { UncaughtErrors } from '../../fixtures/uncaught-errors.ts';

/** A network that breaks every connection which carries this text to the server. */
async function startCensor(targetPort: number, text: string) {
  const proxy = createServer((client) => {
    const server = connect(targetPort, '127.0.0.1');
    for (const socket of [client, server]) socket.on('error', () => undefined);
    client.on('close', () => server.destroy());
    server.on('data', (bytes) => client.write(bytes));
    client.on('data', (bytes) => (bytes.includes(text) ? client.resetAndDestroy() : server.write(bytes)));
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return { port: (proxy.address() as AddressInfo).port, stop: () => proxy.close() };
}

// postgres.js asks for the types of arrays when it has connected, and drops the promise of the answer.
describeWith('postgres')('a connection of ours over postgres.js', () => {
  test('drops no promise while it is young', async () => {
    using rejections = new UncaughtErrors();
    const server = await startPostgres({ settings: {} });
    const url = new URL(server.url);
    const censor = await startCensor(Number(url.port), 'typarray');
    url.port = String(censor.port);
    try {
      const client = await openDatabase('postgres', url.href, { candidates: ['postgres'] });
      expect((await client.query('select 1 as one', [])).rows).toStrictEqual([[1]]);
      await client.close();
    } finally {
      censor.stop();
      await server.stop();
    }
    expect(await rejections.soFar()).toStrictEqual([]);
  }, 60_000);
});
