import assert from 'node:assert/strict';
import { test } from 'vitest';
import { Notices } from '../../../src/engines/postgres/notices.ts';

const VERSION = '0123456789abcdef'.repeat(2);
const usual = { kind: 'lock', name: 'a\n b', wake: 'me you', version: VERSION, document: '{"state":"é\\n"}' };

const bodyOf = (payload: string): string => payload.split(' ')[1]!;

test('a message is what it was, for those who know the secret, and nothing for all others', () => {
  const notices = new Notices('secret', 'holdfast_');
  const payload = notices.sealed(usual);
  assert.match(payload, /^[\w+/]{16} [\w+/=]+$/u);
  assert.ok(payload.startsWith(notices.tagOf('lock', 'a\n b')));
  assert.deepEqual(new Notices('secret', 'holdfast_').opened(bodyOf(payload)), usual);
  assert.equal(new Notices('another', 'holdfast_').opened(bodyOf(payload)), undefined);
  const changed = Buffer.from(bodyOf(payload), 'base64');
  changed[20]! ^= 1;
  assert.equal(notices.opened(changed.toString('base64')), undefined);
});

test('a channel is of one secret and one prefix, and a tag of one secret and one name', () => {
  const [one, other] = [new Notices('one', 'holdfast_'), new Notices('other', 'holdfast_')];
  assert.notEqual(one.channel, other.channel);
  assert.notEqual(one.channel, new Notices('one', 'billing_').channel);
  assert.notEqual(one.tagOf('lock', 'a'), other.tagOf('lock', 'a'));
  assert.notEqual(one.tagOf('lock', 'a'), one.tagOf('lock', 'b'));
  assert.notEqual(one.tagOf('lock', 'a'), one.tagOf('fairLock', 'a'));
  assert.ok(
    Buffer.byteLength(new Notices('one', 'é'.repeat(20)).channel) <= 63,
    'what PostgreSQL takes as a name',
  );
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
    assert.ok(`${payload} 1750000000000.1234`.length < 8000, `${payload.length} characters`);
    return notices.opened(bodyOf(payload));
  };
  assert.deepEqual(carried({ ...worst, name: 'a' }), { ...worst, name: 'a', document: undefined });
  assert.deepEqual(carried(worst), { ...worst, wake: '*', document: undefined });
  const long = { ...usual, document: 'd'.repeat(5700) };
  assert.deepEqual(carried(long), long);
});
