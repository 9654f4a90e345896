import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { driverFor } from '../../../src/engines/redis/drivers/recognise.ts';
import type { RedisSynchronizers } from '../../../src/engines/redis/index.ts';
import { openEngine } from '../../../src/engines/redis/open-engine.ts';
import { endAtEveryStep } from '../../fixtures/ended-at-every-step.ts';
import { type Company, useEverySynchronizer } from '../../fixtures/every-synchronizer.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { type RedisCluster, startRedisCluster } from '../../fixtures/redis/redis-cluster.ts';
import { type RedisServer, startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { startTcpProxy } from '../../fixtures/network/tcp-proxy.ts';
import { SteppedDriver } from '../../fixtures/stepped-driver.ts';
import { CLIENT_NAMES, openClient, type Place } from './open-locks.ts';
import { useSpringLocks } from './use-spring-locks.ts';

vi.setConfig({ testTimeout: 300_000 });

const ENDS = ['engine', 'underneath', 'both'] as const;
const CASES = CLIENT_NAMES.flatMap((client) => ENDS.map((end) => [client, end] as const));
const COMMAND_TIMEOUT_MS = 500;

/** Of fewer steps most of the scenario has not run. */
const LEAST_STEPS = 50;

// A client uses every synchronizer at once. Once for each command, the engine object closes, or the user closes the client
// under it, or the network goes away under both, before or after that command.
describeRedis('no rejection is unhandled when it ends at any command:', () => {
  let server: RedisServer;
  let cluster: RedisCluster;
  beforeAll(async () => {
    server = await startRedisServer();
    cluster = await startRedisCluster();
  });
  afterAll(async () => {
    await server?.stop();
    await cluster?.stop();
  });

  test.each(CASES)('%s on one server (%s)', async (client, end) => {
    const steps = await endAtEveryStep({ end, use, open: openOn(client, () => server) });
    expect(steps, `only ${steps} steps`).toBeGreaterThan(LEAST_STEPS);
  });

  test.each(CASES)('%s on a cluster (%s)', async (client, end) => {
    const place = (): Place => ({ cluster: cluster.nodes.map(({ port }) => port) });
    const steps = await endAtEveryStep({ end, use, open: openOn(client, place) });
    expect(steps, `only ${steps} steps`).toBeGreaterThan(LEAST_STEPS);
  });

  test.each(CASES.filter(([, end]) => end !== 'engine'))(
    '%s over a network that ends (%s)',
    async (client, end) => {
      const steps = await endAtEveryStep({
        end,
        use,
        open: async (label, step) => {
          const proxy = await startTcpProxy(server);
          const footing = await openOn(client, () => proxy)(label, step);
          const endUnderneath = (): void => {
            proxy.refuse();
            proxy.reset();
          };
          const leave = async (): Promise<void> => {
            await footing.leave();
            await proxy.stop();
          };
          return { ...footing, endUnderneath, leave };
        },
      });
      expect(steps, `only ${steps} steps`).toBeGreaterThan(LEAST_STEPS);
    },
  );
});

function use(company: Company<RedisSynchronizers>): readonly Promise<unknown>[] {
  return [...useEverySynchronizer(company), ...useSpringLocks(company)];
}

function openOn(clientName: (typeof CLIENT_NAMES)[number], place: () => Place) {
  return async (label: string, step: () => void) => {
    const user = await openClient(clientName, place());
    const driver = new SteppedDriver(driverFor(user.client), step);
    const engine = openEngine(driver, { label, commandTimeoutMs: COMMAND_TIMEOUT_MS });
    return { engine, endUnderneath: () => user.close(), leave: () => user.close() };
  };
}
