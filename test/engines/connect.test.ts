import { describe, expect, test } from 'vitest';
import { connect, isHoldfastError } from 'holdfast';
import { memory } from 'holdfast/memory';

describe('connect', () => {
  test('two that connect to the same address exclude each other, as with a server', async () => {
    await using one = await connect('memory:connect-test');
    await using other = await connect('memory:connect-test');
    await using elsewhere = await connect('memory:connect-test-2');
    await using alone = memory();
    const hold = await one.lock('a').acquire();
    expect(await other.lock('a').tryAcquire()).toBe(null);
    for (const locks of [elsewhere, alone]) {
      const free = await locks.lock('a').tryAcquire();
      expect.assert(free, 'another address is another place');
      await free.release();
    }
    await hold.release();
    expect.assert(await other.lock('a').tryAcquire());
  });

  test('the query of an address gives settings, and is no part of the place', async () => {
    await using one = await connect('memory:connect-test-3');
    await using other = await connect('memory:connect-test-3?label=billing&announce=false');
    expect(other).toMatchObject({ label: 'billing' });
    await one.lock('a').acquire();
    expect(await other.lock('a').tryAcquire()).toBe(null);
    await expect(connect('memory:?keyPrefix=x')).rejects.toThrow(
      /unknown parameter "keyPrefix"; known are name/,
    );
  });

  test('what one leaves behind by closing is free for the other', async () => {
    const one = await connect('memory:connect-test');
    await one.lock('b').acquire();
    await one.close();
    await using other = await connect('memory:connect-test');
    expect.assert(await other.lock('b').tryAcquire());
  });

  test('an address without an engine is refused, and its password is not repeated', async () => {
    for (const url of ['nosuch://user:secret@host/', 'no scheme, secret', '', null, 5]) {
      await expect(connect(url as string)).rejects.toSatisfy((error) => {
        expect.assert(isHoldfastError(error) && error instanceof TypeError);
        expect(error.code).toBe('BAD_ARGUMENT');
        expect(error.message).toMatch(/known are memory:/);
        expect(error.message).not.toMatch(/secret/);
        return true;
      });
    }
  });

  test.each([
    [undefined, 'is undefined'],
    [null, 'is null'],
    ['', 'is empty'],
  ])('an address from a variable that is not set is an error: %s', async (url, says) => {
    await expect(connect(url as unknown as string)).rejects.toMatchObject({
      code: 'BAD_ARGUMENT',
      message: expect.stringMatching(
        new RegExp(
          `^connect: the address ${says}; known are .* that variable is not set. Write connect\\(\\) `,
        ),
      ),
    });
  });

  test.each([
    ['redis://127.0.0.1:1', { client: {} }],
    ['postgres://127.0.0.1:1/x', { pool: {} }],
    ['mysql://127.0.0.1:1/x', { pool: {} }],
    ['sqlite:x.db', { file: 'y.db' }],
    ['zookeeper://127.0.0.1:1', { servers: 'x:1' }],
    ['memory:', { store: {} }],
  ])('a store beside an address is an error, and not left without a word: %s', async (url, settings) => {
    const [named] = Object.keys(settings);
    await expect(connect(url, settings as object)).rejects.toMatchObject({
      code: 'BAD_ARGUMENT',
      message: expect.stringMatching(
        new RegExp(
          `^connect: there is no setting ${named}, .* Leave ${named} out, or pass it to the factory`,
        ),
      ),
    });
  });

  test('settings in the place of the address are an error that says what to write', async () => {
    const settings = { url: 'redis://:secret@host' };
    await expect(connect(settings as unknown as string)).rejects.toMatchObject({
      code: 'BAD_ARGUMENT',
      message: expect.toSatisfy(
        (message: string) => message.includes('Write connect(url, settings)') && !message.includes('secret'),
      ),
    });
  });
});
