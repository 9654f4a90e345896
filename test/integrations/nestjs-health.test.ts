// oxlint-disable-next-line import/no-unassigned-import -- Nest reads what it adds to Reflect.
import 'reflect-metadata';
import { HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { Test } from '@nestjs/testing';
import { connect } from 'holdfast';
import { memory } from 'holdfast/memory';
import { healthToken, LocksHealth, LocksModule } from 'holdfast/nestjs';
import { expect, test } from 'vitest';
import { describeRedis } from '../fixtures/redis/redis-binary.ts';
import { startRedisServer } from '../fixtures/redis/redis-server.ts';
import { waitFor } from '../fixtures/wait-for.ts';

test('Terminus reports the stores of an application, and fails with the one that does not answer', async () => {
  const archive = memory({ label: 'archive' });
  const testing = await Test.createTestingModule({
    imports: [
      TerminusModule.forRoot({ logger: false }),
      LocksModule.forRoot({ locks: memory() }),
      LocksModule.forRoot({ engine: 'archive', locks: archive }),
    ],
  }).compile();
  const app = await testing.init();
  const check = () =>
    app
      .get(HealthCheckService)
      .check([
        () => app.get(LocksHealth).check(),
        () => app.get<LocksHealth>(healthToken('archive')).check('archive'),
      ]);
  const up = { locks: { status: 'up' }, archive: { status: 'up' } };
  expect(await check()).toMatchObject({ status: 'ok', info: up, error: {} });

  await archive.close();
  const refusal = await check().catch((error: unknown) => error);
  expect(refusal).toMatchObject({
    status: 503,
    response: { status: 'error', info: { locks: { status: 'up' } }, error: { archive: { status: 'down' } } },
  });
  await app.close();
});

describeRedis('the health of a real Redis', () => {
  test('is up, down while the server does not answer, and up again', async () => {
    await using server = await startRedisServer();
    await using locks = await connect(server.url, { commandTimeoutMs: 500 });
    const health = new LocksHealth(locks);
    // On a busy machine a server may be late, and then it is down.
    const isUp = async () => (await health.check())['locks']?.status === 'up';
    await waitFor('it is up', isUp);
    await server.pause();
    const down = await health.check();
    server.resume();
    expect(down).toMatchObject({
      locks: { status: 'down', message: expect.stringContaining('did not answer') as unknown },
    });
    await waitFor('it is up', isUp);
  });
});
