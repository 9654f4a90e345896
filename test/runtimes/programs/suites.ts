// `suites ENGINE ADDRESS UNIT`: the published suites over an engine, side by side. Prints one line of JSON: how many cases passed and
// were skipped, and which failed.
import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { connect } from 'holdfast';
import { conformance, type Harness } from 'holdfast/testing';

const [engine = '', address = '', unitMs = '500'] = process.argv.slice(2);
const MOST_AT_ONCE = 60;
const CASE_MS = 180_000;

const place = new AsyncLocalStorage<string>();
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
let opened = 0;
/** Each case has a place of its own in the store. */
const stores: Readonly<Record<string, Pick<Harness, 'open'> & { readonly extras: readonly string[] }>> = {
  memory: { open: (options) => connect(`memory:${place.getStore()}`, options), extras: ['inspector'] },
  redis: {
    open: (options) =>
      connect(address as `redis${string}`, { ...options, keyPrefix: `${place.getStore()}:` }),
    extras: ['springLock', 'bareSemaphore', 'inspector'],
  },
};
const store = stores[engine];
assert.ok(store, `expected one of ${Object.keys(stores).join(', ')}`);
const harness: Harness = {
  engine,
  factories: [
    'lock',
    'fairLock',
    'readWriteLock',
    'semaphore',
    'permitSemaphore',
    'latch',
    'barrier',
    'election',
    'monitor',
  ],
  ...store,
  announces: true,
  time: {
    now: () => performance.now(),
    sleep,
    stall: (ms) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
    exact: false,
    unitMs: Number(unitMs),
  },
  run: (body) => place.run(`${process.pid}-${++opened}`, body),
  leftovers: async () => [],
};

const cases: { readonly title: string; readonly body: () => Promise<void> }[] = [];
let skipped = 0;
let suite = '';
conformance({
  harness,
  describe: (title, body) => {
    suite = title;
    body();
  },
  test: Object.assign(
    (title: string, body: () => Promise<void>) => {
      // Those that stop the process, and the quorum, whose members must answer within a part of the unit, do not run beside others.
      if (/stall/.test(title) || /quorumLock/.test(suite)) skipped += 1;
      else cases.push({ title: `${suite}: ${title}`, body });
    },
    { skip: () => (skipped += 1) },
  ),
});

const failed: string[] = [];
let passed = 0;
async function work(): Promise<void> {
  for (let one = cases.shift(); one !== undefined; one = cases.shift()) {
    const { title, body } = one;
    const late = new Promise<never>((_, reject) =>
      setTimeout(() => reject(new Error(`not over within ${CASE_MS} ms`)), CASE_MS).unref(),
    );
    try {
      await Promise.race([body(), late]);
      passed += 1;
    } catch (error) {
      failed.push(`${title}: ${String(error).split('\n')[0]}`);
    }
  }
}
await Promise.all(Array.from({ length: MOST_AT_ONCE }, work));
// A case that hangs would keep the process: it ends when the line is written.
process.stdout.write(`${JSON.stringify({ passed, skipped, failed })}\n`, () => process.exit(0));
