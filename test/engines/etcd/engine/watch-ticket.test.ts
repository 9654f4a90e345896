import { expect, test } from 'vitest';
import type { EtcdClient } from '../../../../src/engines/etcd/client/session/etcd-client.ts';
import { watchTicket } from '../../../../src/engines/etcd/lines/watch-ticket.ts';

test('a look that fails behind the beginning of a watch leaves no watch behind', async () => {
  const heard: string[] = [];
  let onEvents!: () => void;
  const client = {
    watch: (plan: { readonly onEvents: () => void }) => {
      ({ onEvents } = plan);
      return { ready: Promise.resolve(9n), end: () => heard.push('ended') };
    },
    range: () => Promise.reject(new Error('the connection broke')),
  } as unknown as EtcdClient;
  // The history has gone on since the list, so the ticket is looked for.
  const ticket = { key: 'line/ticket', createRevision: 7n, seenAt: 8n };
  await expect(watchTicket(client, ticket, () => heard.push('gone'))).rejects.toThrow('broke');
  onEvents();
  expect(heard).toEqual(['ended']);
});
