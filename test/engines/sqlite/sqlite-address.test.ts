import { describe, expect, test } from 'vitest';
import { connect } from 'holdfast';
import { parseSqliteAddress } from '../../../src/engines/sqlite/sqlite-address.ts';
import { TemporaryFolder } from '../../faults/sqlite/temporary-folder.ts';

describe('the address of a file', () => {
  test.each([
    ['sqlite:locks.db', 'locks.db', {}],
    ['sqlite:/var/lib/100%.db', '/var/lib/100%.db', {}],
    ['sqlite:///var/lib/locks.db?', '/var/lib/locks.db', {}],
    [
      'sqlite:locks.db?tablePrefix=app_&driver=libsql&commandTimeoutMs=500',
      'locks.db',
      { tablePrefix: 'app_', driver: 'libsql', commandTimeoutMs: 500 },
    ],
  ])('%s', (url, file, settings) => {
    expect(parseSqliteAddress(url)).toEqual({ file, settings });
  });

  test.each([
    ['sqlite:', /needs the path of a file/],
    ['sqlite://host/locks.db', /needs the path of a file/],
    ['sqlite:?tablePrefix=app_', /needs the path of a file/],
    ['sqlite:a.db?mode=ro', /unknown parameter "mode"; known are name, .*tablePrefix/],
    ['sqlite:a.db?driver=mine', /driver must be one of/],
  ])('%s is refused', (url, says) => {
    expect(() => parseSqliteAddress(url)).toThrow(TypeError);
    expect(() => parseSqliteAddress(url)).toThrow(says);
  });

  test('gives the settings of its engine', async () => {
    using folder = new TemporaryFolder();
    const address = `sqlite:${folder.file()}` as const;
    await using one = await connect(`${address}?tablePrefix=app_&label=app`);
    await using other = await connect(address, { tablePrefix: 'app_' });
    await using elsewhere = await connect(address);
    expect(one.label).toBe('app');
    const hold = await one.lock('report').acquire();
    expect(await other.lock('report').tryAcquire()).toBeNull();
    expect(await elsewhere.lock('report').tryAcquire(), 'other tables are another place').not.toBeNull();
    await hold.release();
  });
});
