import { expect, test } from 'vitest';
import { Notices } from '../../../src/engines/postgres/notices.ts';

const VERSION = '0123456789abcdef'.repeat(2);
const usual = { kind: 'lock', name: 'a\n b', wake: 'me you', version: VERSION, document: '{"state":"é\\n"}' };

const bodyOf = (payload: string): string => payload.split(' ')[1]!;

test('a message is what it was, for those who know the secret, and nothing for all others', () => {
  const notices = new Notices('secret', 'holdfast_');
  const payload = notices.sealed(usual);
  expect(payload).toMatch(/^[\w+/]{16} [\w+/=]+$/u);
  expect(payload.startsWith(notices.tagOf('lock', 'a\n b'))).toBeTruthy();
  expect(new Notices('secret', 'holdfast_').opened(bodyOf(payload))).toStrictEqual(usual);
  expect(new Notices('another', 'holdfast_').opened(bodyOf(payload))).toBe(undefined);
  const changed = Buffer.from(bodyOf(payload), 'base64');
  changed[20]! ^= 1;
  expect(notices.opened(changed.toString('base64'))).toBe(undefined);
});

test('a channel is of one secret and one prefix, and a tag of one secret and one name', () => {
  const [one, other] = [new Notices('one', 'holdfast_'), new Notices('other', 'holdfast_')];
  expect(one.channel).not.toBe(other.channel);
  expect(one.channel).not.toBe(new Notices('one', 'billing_').channel);
  expect(one.tagOf('lock', 'a')).not.toBe(other.tagOf('lock', 'a'));
  expect(one.tagOf('lock', 'a')).not.toBe(one.tagOf('lock', 'b'));
  expect(one.tagOf('lock', 'a')).not.toBe(one.tagOf('fairLock', 'a'));
  expect(
    Buffer.byteLength(new Notices('one', 'é'.repeat(20)).channel) <= 63,
    'what PostgreSQL takes as a name',
  ).toBeTruthy();
});

test('no message is longer than PostgreSQL carries: the document goes first, then the owners', () => {
  const notices = new Notices('secret', 'holdfast_');
  const worst = {
    ...usual,
    name: '\u0001'.repeat(512),
    wake: 'o'.repeat(4000),
    document: 'd'.repeat(100_000),
  };
  const carried = (notice: typeof usual) => {
    const payload = notices.sealed(notice);
    expect(`${payload} 1750000000000.1234`.length < 8000, `${payload.length} characters`).toBeTruthy();
    return notices.opened(bodyOf(payload));
  };
  expect(carried({ ...worst, name: 'a' })).toStrictEqual({ ...worst, name: 'a', document: undefined });
  expect(carried(worst)).toStrictEqual({ ...worst, wake: '*', document: undefined });
  const long = { ...usual, document: 'd'.repeat(5700) };
  expect(carried(long)).toStrictEqual(long);
});
