import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { TemporaryFolder } from '../../faults/sqlite/temporary-folder.ts';
import { freePort } from '../../fixtures/processes/free-port.ts';
import { root } from '../../examples/documents.ts';

const SECRET = 'a-secret-word';
const DEADLINE_MS = 60_000;

/** Connects, and tells how that went. */
const OPEN = `
  import { connect } from 'holdfast';
  import { inspect } from 'node:util';
  try {
    const locks = await connect();
    const again = await connect();
    const hold = await locks.lock('a').acquire();
    console.log(JSON.stringify({ label: locks.label, excluded: (await again.lock('a').tryAcquire()) === null }));
    await locks.close();
    await again.close();
  } catch (error) {
    console.log(JSON.stringify({ code: error.code, message: error.message, all: inspect(error, { depth: 9 }) }));
  }`;

interface Outcome {
  readonly label?: string;
  readonly excluded?: boolean;
  readonly code?: string;
  readonly message?: string;
  readonly all?: string;
}

/** A program in a process of its own, whose surroundings are these and no others. */
async function run(env: Readonly<Record<string, string>>): Promise<Outcome & { readonly stderr: string }> {
  // Newer releases of Node warn of their own SQLite.
  const argv = ['--no-warnings', '--input-type=module', '-e', OPEN];
  const child = spawn(process.execPath, argv, { cwd: root, env });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  expect(stdout, stderr).not.toBe('');
  return { ...(JSON.parse(stdout) as Outcome), stderr };
}

describe('connect() without an address', { timeout: DEADLINE_MS }, () => {
  test('keeps its locks in a file of this user, and says so in one line', async () => {
    using folder = new TemporaryFolder();
    const outcome = await run({ XDG_STATE_HOME: folder.path });
    const file = folder.file('holdfast/locks.db');
    expect(outcome.excluded).toBe(true);
    expect(outcome.stderr).toBe(
      `holdfast: no address was given, so these locks cover this machine only (${file}). Set HOLDFAST_URL to share them.\n`,
    );
    expect(existsSync(file)).toBe(true);
    expect(statSync(folder.file('holdfast')).mode & 0o777, 'no other client may read it').toBe(0o700);
  });

  test('below the home of the user if nothing else is said, or something that is no path', async () => {
    using folder = new TemporaryFolder();
    for (const env of [
      {},
      { XDG_STATE_HOME: '' },
      { XDG_STATE_HOME: 'not/absolute' },
      { HOLDFAST_URL: '' },
    ]) {
      const { stderr } = await run({ HOME: folder.path, ...env });
      expect(stderr).toMatch(/cover this machine only/);
      expect(stderr, stderr).toContain(folder.file('.local/state/holdfast/locks.db'));
    }
    expect(readdirSync(folder.path)).toStrictEqual(['.local']);
  });

  test('takes the address in HOLDFAST_URL, and says nothing', async () => {
    using folder = new TemporaryFolder();
    for (const required of [{}, { HOLDFAST_REQUIRE_URL: '1' }]) {
      const outcome = await run({ HOME: folder.path, HOLDFAST_URL: `sqlite:${folder.file()}`, ...required });
      expect([outcome.label, outcome.excluded, outcome.stderr]).toStrictEqual(['sqlite', true, '']);
    }
    expect(existsSync(folder.file())).toBe(true);
    expect(existsSync(folder.file('.local'))).toBe(false);
  });

  test('is refused where HOLDFAST_REQUIRE_URL is 1, and leaves nothing', async () => {
    using folder = new TemporaryFolder();
    for (const url of [{}, { HOLDFAST_URL: '' }]) {
      const outcome = await run({ HOME: folder.path, HOLDFAST_REQUIRE_URL: '1', ...url });
      expect(outcome.code).toBe('BAD_ARGUMENT');
      expect(String(outcome.message)).toMatch(/HOLDFAST_URL is not set. HOLDFAST_REQUIRE_URL forbids/);
      expect(outcome.stderr).toBe('');
    }
    expect(readdirSync(folder.path)).toStrictEqual([]);
  });

  test.each([
    ['KUBERNETES_SERVICE_HOST', '10.0.0.1', /runs on Kubernetes \(KUBERNETES_SERVICE_HOST is set\)/],
    ['ECS_CONTAINER_METADATA_URI_V4', 'http://169.254.170.2/v4/x', /runs on Amazon ECS/],
    ['K_SERVICE', 'shop', /runs on Cloud Run or Knative/],
    ['NOMAD_ALLOC_ID', '5fc98185', /runs on Nomad/],
    ['AWS_LAMBDA_FUNCTION_NAME', 'shop', /runs on AWS Lambda/],
    ['FLY_MACHINE_ID', '3d8d', /runs on Fly.io/],
    ['NODE_ENV', 'production', /runs in production \(NODE_ENV\)/],
  ])('is refused where %s is %s, unless it is asked for', async (variable, value, says) => {
    using folder = new TemporaryFolder();
    const env = { HOME: folder.path, [variable]: value };
    const refused = await run(env);
    expect([refused.code, refused.stderr]).toStrictEqual(['BAD_ARGUMENT', '']);
    expect(refused.message).toMatch(says);
    expect(refused.message).toMatch(
      /set HOLDFAST_URL; if one machine is what you want, set HOLDFAST_REQUIRE_URL=0, or/,
    );
    expect(readdirSync(folder.path), 'it leaves nothing').toStrictEqual([]);

    expect((await run({ ...env, HOLDFAST_REQUIRE_URL: '0' })).excluded).toBe(true);
    const named = await run({ ...env, HOLDFAST_URL: `sqlite:${folder.file()}` });
    expect([named.excluded, named.stderr]).toStrictEqual([true, '']);
  });

  test('is kept where such a variable is empty, and in development', async () => {
    using folder = new TemporaryFolder();
    const env = { HOME: folder.path, KUBERNETES_SERVICE_HOST: '', NODE_ENV: 'development' };
    expect((await run(env)).excluded).toBe(true);
  });

  test('is a clear error where the user can have no such file', async () => {
    using folder = new TemporaryFolder();
    writeFileSync(folder.file('home'), 'a file');
    const outcome = await run({ HOME: folder.file('home') });
    expect(outcome.code).toBe('ENGINE');
    expect(String(outcome.message)).toMatch(/there can be no file of this user \(.*\)\. Set HOLDFAST_URL/);
    expect(outcome.stderr).toBe('');
  });

  test('never repeats the password of an address that is of no use', async () => {
    const port = await freePort();
    const addresses = [
      `nosuch://user:${SECRET}@host/`,
      `user:${SECRET}@host`,
      `postgres://user:${SECRET}@127.0.0.1:${port}/db`,
      `postgres://user:${SECRET}@:nonsense`,
      `mysql://user:${SECRET}@127.0.0.1:${port}/db`,
      `mysql://user:${SECRET}@host:nonsense`,
      `redis://user:${SECRET}@127.0.0.1:${port}`,
      `redis://user:${SECRET}@host:nonsense`,
      `sqlite://user:${SECRET}@host/file`,
    ];
    const attempts = addresses.map(async (address) => {
      const outcome = await run({ HOLDFAST_URL: address });
      expect(outcome.code === 'BAD_ARGUMENT' || outcome.code === 'ENGINE', `${address}: ${outcome.all}`).toBe(
        true,
      );
      expect(`${outcome.all}${outcome.stderr}`, `${address}: ${outcome.all}`).not.toContain(SECRET);
    });
    await Promise.all(attempts);
  });
});
