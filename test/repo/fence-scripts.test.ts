import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'vitest';

const folder = new URL('../../src/engines/redis/scripts/', import.meta.url);
const scripts = readdirSync(folder).filter((file) => file.endsWith('-acquire.lua'));

/** Where the next fences are taken and remembered. A semaphore's holders have no lease; one fence is its own last. */
function reserving(script: string): string[] {
  const lines = readFileSync(new URL(script, folder), 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => !line.startsWith('--'));
  const from = lines.findIndex((line) => line.startsWith('local fence = math.max('));
  const to = lines.indexOf('end', from);
  return lines
    .slice(from - 1, to + 1)
    .filter((line) => line !== 'local reserved = fence + fences - 1')
    .map((line) => line.replaceAll('reserved', 'fence').replace('retentionMs + leaseMs', 'retentionMs'));
}

describe('a script is whole in itself, so the way to a fence is written in each: they must not drift apart', () => {
  const first = reserving('lock-acquire.lua');

  test('it is found where it is expected', () => {
    assert.equal(first[0], "local last = redis.call('GET', token)");
    assert.equal(first.at(-1), 'end');
    assert.equal(first.length, 11);
  });

  test.for(scripts)('%s', (script) => {
    assert.deepEqual(reserving(script), first);
  });
});
