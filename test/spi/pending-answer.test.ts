import { expect, test } from 'vitest';
import { PendingAnswer } from '../../src/spi/pending-answer.ts';
import { asPromise, type MaybeAsync, isPending, mapAnswer, mapAnswerFor } from '../../src/spi/maybe-async.ts';

const rethrow = (error: unknown): never => {
  throw error;
};

test('what becomes of an answer is called at once, layer after layer', () => {
  const coming = new PendingAnswer<number>();
  const seen: string[] = [];
  coming
    .chain((value) => {
      seen.push(`inner ${value}`);
      return value + 1;
    }, rethrow)
    .chain((value) => seen.push(`outer ${value}`), rethrow);
  coming.resolve(1);
  expect(seen).toStrictEqual(['inner 1', 'outer 2']);
});

test('an answer that came before any listener is not lost', async () => {
  const done = new PendingAnswer<number>();
  done.resolve(1);
  expect(await done.chain((value) => value + 1, rethrow)).toBe(2);
  const failed = new PendingAnswer<number>();
  failed.reject(new Error('refused'));
  await expect(failed.promise()).rejects.toThrow(/refused/u);
});

test('what is made of an outcome may throw, and is the outcome then', async () => {
  const broken = () => {
    throw new RangeError('unreadable');
  };
  const done = new PendingAnswer<number>();
  const read = done.chain<number>(broken, rethrow).promise();
  done.resolve(1);
  await expect(read).rejects.toThrow(/unreadable/u);
  const failed = new PendingAnswer<number>();
  const explained = failed.chain<number>((value) => value, broken).promise();
  failed.reject(new Error('refused'));
  await expect(explained).rejects.toThrow(/unreadable/u);
});

test('a failure passes through layers that do not mind it, and one that does may answer', async () => {
  const coming = new PendingAnswer<number>();
  const last = coming
    .chain((value) => value, rethrow)
    .chain<number | string>(
      (value) => value,
      () => 'mended',
    )
    .promise();
  coming.reject(new Error('refused'));
  expect(await last).toBe('mended');
});

test('a layer may wait for something else, a promise or another answer', async () => {
  const coming = new PendingAnswer<number>();
  const other = new PendingAnswer<string>();
  const last = coming
    .chain((value) => Promise.resolve(value + 1), rethrow)
    .chain((value) => other.chain((text) => `${text} ${value}`, rethrow), rethrow)
    .promise();
  coming.resolve(1);
  other.resolve('other');
  expect(await last).toBe('other 2');
});

test('a second await gets the same answer, and takes it from no other', async () => {
  const coming = new PendingAnswer<number>();
  const both = Promise.all([coming, coming.then((value) => value * 2)]);
  expect(() => coming.chain((value) => value, rethrow)).toThrow(/already has a continuation/u);
  coming.resolve(21);
  expect(await both).toStrictEqual([21, 42]);
  expect(await coming).toBe(21);
});

test('what a caller does with the promise never runs inside the one who answers', async () => {
  const coming = new PendingAnswer<number>();
  const order: string[] = [];
  const called = coming.promise().then(() => order.push('caller'));
  coming.resolve(1);
  order.push('answered');
  await called;
  expect(order).toStrictEqual(['answered', 'caller']);
});

test('mapAnswer treats what is here and what is on its way alike', async () => {
  const coming = new PendingAnswer<number>();
  const values: MaybeAsync<number>[] = [1, Promise.resolve(1), coming];
  const made = values.map((value) => mapAnswer(value, (one) => one + 1));
  expect(made.map(isPending)).toStrictEqual([false, true, true]);
  coming.resolve(1);
  expect(await Promise.all(made.map(asPromise))).toStrictEqual([2, 2, 2]);
});

test('mapAnswerFor tells for whom, whatever the value and however it ends', async () => {
  const sum = { of: 0 };
  const add = (one: typeof sum, value: number) => (one.of += value);
  const addHundred = (one: typeof sum, error: unknown) => {
    expect(String(error)).toMatch(/as expected/u);
    return (one.of += 100);
  };
  const [good, bad] = [new PendingAnswer<number>(), new PendingAnswer<number>()];
  const refused = Promise.reject(new Error('as expected'));
  const values: MaybeAsync<number>[] = [1, Promise.resolve(10), refused, good, bad];
  const made = values.map((value) => mapAnswerFor(sum, value, add, addHundred));
  expect(made[0]).toBe(1);
  good.resolve(1000);
  bad.reject(new Error('as expected'));
  await Promise.all(made.map(asPromise));
  expect(sum.of).toBe(1 + 10 + 100 + 1000 + 100);
});
