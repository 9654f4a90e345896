// oxlint-disable-next-line import/no-unassigned-import -- Nest reads what it adds to Reflect.
import 'reflect-metadata';
import { HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { Test } from '@nestjs/testing';
import { memory } from 'holdfast/memory';
import { healthToken, LocksHealth, LocksModule } from 'holdfast/nestjs';
import { expect, test } from 'vitest';

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
