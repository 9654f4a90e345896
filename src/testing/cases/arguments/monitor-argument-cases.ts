import assert from 'node:assert/strict';
import { BAD_FUNCTIONS, BAD_HOLD_OPTIONS } from './bad-arguments.ts';
import { type BadArgument, assertRejectsArgument, assertThrowsArgument } from '../../harness/coded-error.ts';
import { counter } from '../monitor/counter.ts';
import type { Cases } from '../../suites/suite.ts';

const circle: { self?: unknown } = {};
circle.self = circle;

/** Values that cannot be a guarded state: the next section would find something else than was written. */
const BAD_STATES: readonly BadArgument[] = [
  { given: undefined, error: TypeError, names: /must be plain JSON.*it is of type undefined/ },
  { given: NaN, error: TypeError, names: /must be plain JSON.*it is NaN/ },
  { given: { at: Infinity }, error: TypeError, names: /at is Infinity/ },
  { given: { where: new URL('http://a') }, error: TypeError, names: /where is a URL/ },
  { given: { list: [1, { deep: () => 1 }] }, error: TypeError, names: /list\.1\.deep is of type function/ },
  { given: 5n, error: TypeError, names: /of type bigint/ },
  { given: new Set([1]), error: TypeError, names: /is a Set/ },
  { given: { missing: undefined }, error: TypeError, names: /missing is of type undefined/ },
  { given: Symbol('state'), error: TypeError, names: /of type symbol/ },
  { given: circle, error: TypeError, names: /self contains itself/ },
];

/** Bad second arguments of the factory. */
export const BAD_INITIALS: readonly BadArgument[] = [
  { given: undefined, error: TypeError, names: /needs \{ initial \}/ },
  { given: {}, error: TypeError, names: /needs \{ initial \}/ },
  { given: 5, error: TypeError, names: /options must be an object, not 5/ },
  { given: { initial: 0, capacity: 3 }, error: TypeError, names: /no option "capacity"; known are initial/ },
  ...BAD_STATES.map((bad) => ({ ...bad, given: { initial: bad.given } })),
];

const BAD_CONDITIONS: readonly BadArgument[] = [
  { given: '', error: TypeError, names: /condition must be a string that is not empty/ },
  { given: undefined, error: TypeError, names: /condition must be a string that is not empty/ },
  { given: 5, error: TypeError, names: /condition must be a string that is not empty/ },
];

const BAD_TIMEOUTS: readonly BadArgument[] = [
  { given: { timeoutMs: -1 }, error: RangeError, names: /timeoutMs must be from 0/ },
  { given: { timeoutMs: NaN }, error: RangeError, names: /timeoutMs must be from 0/ },
  { given: { timeoutMs: '5' }, error: TypeError, names: /timeoutMs must be a number/ },
  { given: { timeout: 5 }, error: TypeError, names: /no option "timeout"; known are timeoutMs/ },
  { given: 5, error: TypeError, names: /options must be an object, not 5/ },
];

/** Arguments that are refused, without any effect. */
export const monitorArgumentCases: Cases<'monitor'> = {
  'bad options of run are refused by rejecting': async (bench) => {
    const monitor = counter(await bench.open(), bench.name);
    const never = () => assert.fail('entered');
    for (const bad of BAD_HOLD_OPTIONS) {
      await assertRejectsArgument(bad, () => monitor.run(never, bad.given as object));
    }
    for (const bad of BAD_FUNCTIONS)
      await assertRejectsArgument(bad, () => monitor.run(bad.given as () => void));
    assert.deepEqual([await monitor.isLocked(), await monitor.waiters()], [false, 0]);
  },

  'a state that is no JSON is refused, and the section goes on': async (bench) => {
    const monitor = (await bench.open()).monitor<unknown>(bench.name, { initial: 'good' });
    await monitor.run((m) => {
      for (const bad of BAD_STATES) assertThrowsArgument(bad, () => m.set(bad.given));
      assert.equal(m.state, 'good');
      m.set({ null: null, list: [[], {}], text: 'é\u0000😀' });
    });
    assert.deepEqual(await monitor.peek(), { null: null, list: [[], {}], text: 'é\u0000😀' });
  },

  'null is a state like any other': async (bench) => {
    const monitor = (await bench.open()).monitor<number | null>(bench.name, { initial: 5 });
    await monitor.run((m) => m.set(null));
    assert.equal(await monitor.peek(), null);
    await monitor.run((m) => assert.equal(m.state, null));
  },

  'bad conditions and time-outs are refused, and the section goes on': async (bench) => {
    const monitor = counter(await bench.open(), bench.name);
    await monitor.run(async (m) => {
      for (const bad of BAD_CONDITIONS) {
        const condition = bad.given as string;
        await assertRejectsArgument(bad, () => m.wait(condition));
        await assertRejectsArgument(bad, () => m.waitUntil(condition, () => false));
        assertThrowsArgument(bad, () => m.signal(condition));
        assertThrowsArgument(bad, () => m.signalAll(condition));
      }
      for (const bad of BAD_TIMEOUTS) {
        await assertRejectsArgument(bad, () => m.wait('go', bad.given as object));
        await assertRejectsArgument(bad, () => m.waitUntil('go', () => false, bad.given as object));
      }
      m.hold.throwIfLost();
      m.set(1);
    });
    assert.equal(await monitor.peek(), 1);
  },
};
