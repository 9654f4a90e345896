import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { RedisSynchronizers } from '../../../src/engines/redis/index.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { type RedisServer, startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { startTcpProxy } from '../../fixtures/network/tcp-proxy.ts';
import { loadScripts } from './load-scripts.ts';
import { CLIENT_NAMES, openLocks } from './open-locks.ts';
import { CASE_LIMIT_MS, LONG_LEASE_MS, SHORT_LEASE_MS, verbCases } from './verb-cases.ts';

vi.setConfig({ testTimeout: CASE_LIMIT_MS });

describeRedis('an answer that is lost with its connection', () => {
  let server: RedisServer;
  let digests: ReadonlyMap<string, string>;
  let third: RedisSynchronizers;
  const contended = new Set<string>();
  beforeAll(async () => {
    server = await startRedisServer();
    digests = await loadScripts(server);
    third = await openLocks('node-redis', server);
    third.on('contended', ({ name }) => contended.add(name));
  });
  afterAll(async () => {
    await third.close();
    await server.stop();
  });

  for (const client of CLIENT_NAMES) {
    for (const [kind, cases] of Object.entries(verbCases)) {
      for (const [title, play] of Object.entries(cases)) {
        test.concurrent(`${client} ${kind}: ${title} happens once`, async () => {
          await using proxy = await startTcpProxy(server);
          const renewalLeaseMs = title === 'renew' ? SHORT_LEASE_MS : LONG_LEASE_MS;
          await using locks = await openLocks(client, proxy, { renewalLeaseMs });
          await using other = await openLocks(client, server, { renewalLeaseMs: LONG_LEASE_MS });
          let toLose = 0;
          await play({
            name: `${client} ${kind} ${title}`,
            locks,
            other,
            third,
            contended,
            lose: (script) => {
              const digest = digests.get(script);
              if (digest === undefined) throw new Error(`There is no script ${script}.`);
              toLose += 1;
              void proxy.loseReplyTo((words) => words.includes(digest));
            },
            command: (...words) => server.command(...words),
          });
          expect(proxy.repliesLost).toBe(toLose);
        });
      }
    }
  }
});
