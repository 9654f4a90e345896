import { expect, test } from 'vitest';
import { EngineError } from 'holdfast';
import { sqlite } from 'holdfast/sqlite';
import { ServerProcess } from '../../fixtures/processes/server-process.ts';
import { findWriteLockHolder } from '../../../src/engines/sqlite/file/write-lock-holder.ts';
import { TemporaryFolder } from './temporary-folder.ts';

const DEADLINE_MS = 60_000;

/** Begins to write to a database, says so, and never ends the write. */
const WRITER = `const Database = require('libsql');
const database = new Database(process.argv[1]);
database.exec('begin immediate');
console.log('writing');
setInterval(() => undefined, 1000);`;

// Only Linux tells which process has a lock.
test.skipIf(process.platform !== 'linux')(
  'a process that was stopped in the middle of a write blocks the file, and the error says which one it is',
  async () => {
    using folder = new TemporaryFolder();
    const file = folder.file();
    await using locks = sqlite({ file, commandTimeoutMs: 4000 });
    await locks.lock('a').run(() => undefined);
    const argv = ['-e', WRITER, file];
    const writer = new ServerProcess({ binary: process.execPath, argv, readyLine: /^writing$/m });
    try {
      await writer.ready();
      const { pid } = writer;
      expect(findWriteLockHolder(file)).toStrictEqual({ pid, isStopped: false });
      await writer.pause();
      expect(findWriteLockHolder(file)).toStrictEqual({ pid, isStopped: true });
      await expect(locks.lock('b').tryAcquire()).rejects.toSatisfy((error) => {
        expect(error, String(error)).toBeInstanceOf(EngineError);
        expect(error.retryable).toBe(true);
        expect(error.message, error.message).toContain(`lock "b": process ${pid} was stopped`);
        expect(error.message, error.message).toContain(file);
        expect(error.message).toMatch(/Nothing was done/);
        return true;
      });
    } finally {
      await writer.kill();
    }
    await (await locks.lock('b').acquire()).release();
    expect(findWriteLockHolder(file)).toBeUndefined();
  },
  2 * DEADLINE_MS,
);
