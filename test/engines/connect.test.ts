import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { connect, isHoldfastError } from 'holdfast';
import { memory } from 'holdfast/memory';

describe('connect', () => {
  test('two that connect to the same address exclude each other, as with a server', async () => {
    await using one = await connect('memory:connect-test');
    await using other = await connect('memory:connect-test');
    await using elsewhere = await connect('memory:connect-test-2');
    await using alone = memory();
    const hold = await one.lock('a').acquire();
    assert.equal(await other.lock('a').tryAcquire(), null);
    for (const locks of [elsewhere, alone]) {
      const free = await locks.lock('a').tryAcquire();
      assert.ok(free, 'another address is another place');
      await free.release();
    }
    await hold.release();
    assert.ok(await other.lock('a').tryAcquire());
  });

  test('what one leaves behind by closing is free for the other', async () => {
    const one = await connect('memory:connect-test');
    await one.lock('b').acquire();
    await one.close();
    await using other = await connect('memory:connect-test');
    assert.ok(await other.lock('b').tryAcquire());
  });

  test('an address without an engine is refused, and its password is not repeated', async () => {
    for (const url of ['nosuch://user:secret@host/', 'no scheme, secret', '', null, 5]) {
      await assert.rejects(connect(url as string), (error) => {
        assert.ok(isHoldfastError(error) && error instanceof TypeError);
        assert.equal(error.code, 'BAD_ARGUMENT');
        assert.match(error.message, /known are memory:/);
        assert.doesNotMatch(error.message, /secret/);
        return true;
      });
    }
  });
});
