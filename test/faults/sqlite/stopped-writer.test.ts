import assert from 'node:assert/strict';
import { test } from 'vitest';
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
      assert.deepEqual(findWriteLockHolder(file), { pid, isStopped: false });
      await writer.pause();
      assert.deepEqual(findWriteLockHolder(file), { pid, isStopped: true });
      await assert.rejects(locks.lock('b').tryAcquire(), (error) => {
        assert.ok(error instanceof EngineError, String(error));
        assert.equal(error.retryable, true);
        assert.ok(error.message.includes(`lock "b": process ${pid} was stopped`), error.message);
        assert.ok(error.message.includes(file), error.message);
        assert.match(error.message, /Nothing was done/);
        return true;
      });
    } finally {
      await writer.kill();
    }
    await (await locks.lock('b').acquire()).release();
    assert.equal(findWriteLockHolder(file), undefined);
  },
  2 * DEADLINE_MS,
);
