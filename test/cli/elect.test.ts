import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from 'holdfast';
import { describeRedis } from '../fixtures/redis/redis-binary.ts';
import { type RedisServer, startRedisServer } from '../fixtures/redis/redis-server.ts';
import { Workplace } from './workplace.ts';

/** Takes the leadership away, as an operator would. */
async function depose(url: string, name: string): Promise<void> {
  const locks = await connect(url);
  try {
    const { owner } = (await locks.election(name).leader())!;
    expect(await locks.inspector.forceRelease('election', name, { owner })).toBe(true);
  } finally {
    await locks.close();
  }
}

test('without a command: leads until stdin ends or a signal comes; observe prints every leader', async () => {
  await using place = new Workplace();
  const none = await place.run(['observe', 'scheduler', '--once']);
  expect([none.code, none.stdout]).toEqual([1, 'no leader\n']);
  const seen = place.start(['observe', 'scheduler']);
  await seen.printed('no leader');
  const first = place.start(['elect', 'scheduler', 'pod-1']);
  await first.printed(/^scheduler: pod-1 leads, fence \d+\n$/);
  await seen.printed(/pod-1 leads, fence \d+\n/);
  const second = place.start(['elect', 'scheduler', 'pod-2', '--json']);
  await second.printed('"waiting"');
  const late = await place.run(['elect', 'scheduler', 'pod-3', '-n']);
  expect([late.code, late.stdout]).toEqual([75, '']);
  first.kill('SIGTERM');
  await second.printed('"acquired"');
  await seen.printed(/pod-2 leads, fence \d+\n/);
  const now = await place.run(['observe', 'scheduler', '--once', '--json']);
  expect([now.code, JSON.parse(now.stdout)]).toEqual([
    0,
    {
      name: 'scheduler',
      leader: { value: 'pod-2', owner: expect.any(String), fence: expect.stringMatching(/^\d+$/) },
    },
  ]);
  expect((await first.ended).code).toBe(0);
  second.kill('SIGINT');
  expect((await second.ended).code).toBe(0);
  await seen.printed(/pod-2 leads[^]*no leader/);
  seen.kill('SIGTERM');
  expect((await seen.ended).code).toBe(143);
});

test('wrong lines are 64, and a command without "--" is shown the corrected one', async () => {
  await using place = new Workplace();
  const [noValue, noDashes] = await Promise.all([
    place.run(['elect', 'scheduler']),
    place.run(['elect', 'scheduler', 'pod-1', './serve', '--port', '1']),
  ]);
  expect([noValue.code, noDashes.code]).toEqual([64, 64]);
  expect(noDashes.stderr).toContain('holdfast elect scheduler pod-1 -- ./serve --port 1');
});

describeRedis('with a command, on Redis', () => {
  let server: RedisServer;
  let place: Workplace;

  beforeAll(async () => {
    server = await startRedisServer();
    place = new Workplace(server.url);
  });

  afterAll(async () => {
    await place[Symbol.asyncDispose]();
    await server.stop();
  });

  test('resigns when it ends, and exits with its code', async () => {
    const line = 'echo "$HOLDFAST_NAME $HOLDFAST_ENGINE"; exit 7';
    const { code, stdout } = await place.run(['elect', 'short', 'pod-1', '-c', line]);
    expect([code, stdout]).toEqual([7, 'short redis\n']);
    expect((await place.run(['observe', 'short', '--once'])).code).toBe(1);
  });

  test('a lost leadership ends the command with 76, and the other candidate leads', async () => {
    const line = 'trap "echo bye; exit 0" TERM; echo leads; while :; do sleep 0.02; done';
    const first = place.start(['elect', 'main', 'pod-1', '--lease', '3s', '-c', line]);
    await first.printed('leads');
    const second = place.start(['elect', 'main', 'pod-2', '--json', '--', 'echo', 'next']);
    await second.said('"waiting"');
    await depose(server.url, 'main');
    expect(await first.ended).toMatchObject({ code: 76, stdout: 'leads\nbye\n' });
    expect(await second.ended).toMatchObject({ code: 0, stdout: 'next\n' });
  });

  test('--again: campaigns again after a loss, and not after a signal', async () => {
    const line = `trap 'exit 5' TERM; echo turn >> "$PLACE/turns"; wc -l < "$PLACE/turns"; while :; do sleep 0.02; done`;
    const candidate = place.start(['elect', 'again', 'pod-1', '--again', '--lease', '3s', '-c', line]);
    await candidate.printed('1\n');
    await depose(server.url, 'again');
    await candidate.printed('2\n');
    candidate.kill('SIGTERM');
    expect(await candidate.ended).toMatchObject({ code: 5, stdout: '1\n2\n' });
  });
});
