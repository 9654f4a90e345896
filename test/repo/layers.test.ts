import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkLayers } from '../../scripts/check-layers.mjs';

let src: string;

beforeEach(() => {
  src = mkdtempSync(join(tmpdir(), 'holdfast-layers-'));
});

afterEach(() => {
  rmSync(src, { recursive: true });
});

function violationsOf(file: string, text: string): string[] {
  mkdirSync(dirname(join(src, file)), { recursive: true });
  writeFileSync(join(src, file), text);
  return checkLayers(src);
}

describe('refuses', () => {
  test.each([
    ['spi/rule.ts', `import { lock } from '../rules/lock.ts';`],
    ['spi/rule.ts', `import { EventEmitter } from 'node:events';`],
    ['rules/lock.ts', `import type { Wait } from '../core/wait.ts';`],
    ['rules/lock.ts', `import { randomUUID } from 'node:crypto';`],
    ['testing/index.ts', `export { lock } from '../rules/lock.ts';`],
    ['testing/index.ts', `export * from '../synchronizers/lock.ts';`],
    ['core/wait.ts', `type Lock = import('../synchronizers/lock.ts').Lock;`],
    ['synchronizers/lock.ts', `import { memory } from '../engines/memory/index.ts';`],
    ['synchronizers/lock.ts', `const memory = import('../engines/memory/index.ts');`],
    ['kernels/cell-protocol.ts', `import { Lock } from '../synchronizers/lock.ts';`],
    ['engines/memory/store.ts', `import { Lock } from '../../synchronizers/lock/lock.ts';`],
    ['engines/memory/store.ts', `import { update } from '../sql/update.ts';`],
    ['engines/postgres/store.ts', `import { store } from '../mysql/store.ts';`],
    ['engines/redis/store.ts', `import { createClient } from 'redis';`],
    ['engines/redis/store.ts', `import { type Client } from 'redis';`],
    ['testing/lock-suite.ts', `import { decide } from '../spi/rule.ts';`],
    ['testing/lock-suite.ts', `import { connect } from 'holdfast';`],
    ['index.ts', `import { memory } from './engines/memory/index.ts';`],
    ['index.ts', `export { memory } from './engines/memory/index.ts';`],
    ['engine.ts', `export { Lock } from './synchronizers/lock.ts';`],
    ['engine.ts', `export { lockRule } from './rules/lock.ts';`],
    ['kernels/assemble.ts', `import { createLock } from '../synchronizers/lock/plain-lock.ts';`],
    ['core/wait.ts', `import manifest from '../../package.json';`],
    ['extras/lock.ts', `export {};`],
  ])('%s: %s', (file, text) => {
    expect(violationsOf(file, text)).toHaveLength(1);
  });

  test.each([
    ['kernels/assemble.ts', `export { subjectOf } from '../core/arguments.ts';`],
    ['kernels/assemble.ts', `export * from '../spi/engine/traits.ts';`],
    ['kernels/assemble.ts', `export type * from '../spi/engine/traits.ts';`],
    ['kernels/assemble.ts', `export type { Traits } from '../spi/engine/traits.ts';`],
    ['kernels/assemble.ts', `import type { Traits } from '../spi/engine/traits.ts'; export type { Traits };`],
    ['kernels/assemble.ts', `export { own as subjectOf }; import { own } from '../core/arguments.ts';`],
    ['engines/sqlite/rows.ts', `export { Rows } from '../sql/rows.ts';`],
  ])('the detour %s: %s', (file, text) => {
    expect(violationsOf(file, text)).toEqual([
      expect.stringContaining('only index.ts and engine.ts pass on what another part declares'),
    ]);
  });

  test.each([
    'Date.now();',
    'new Date();',
    'setTimeout(tick, 5);',
    'const later = setTimeout;',
    'globalThis.setInterval(tick, 5);',
    'setImmediate(tick);',
    'performance.now();',
    'Math.random();',
    'AbortSignal.timeout(5);',
    'process.hrtime.bigint();',
    'os.uptime();',
    'const start = Date.now() as number;',
    `import { setTimeout } from 'node:timers/promises';`,
  ])('%s', (text) => {
    expect(violationsOf('core/wait.ts', text).length).toBeGreaterThan(0);
  });

  test.each(['await Promise.race([step, end]);', 'const race = Promise.race;'])('%s', (text) => {
    expect(violationsOf('engines/redis/drivers/subscriptions/subscription-connection.ts', text)).toEqual([
      expect.stringContaining('Promise.race leaves a reaction'),
    ]);
  });

  test.each(['core/utils.ts', 'core/lock-helpers.ts', 'core/lock.manager.ts', 'core/utils/lock.ts'])(
    'the name %s',
    (file) => {
      expect(violationsOf(file, 'export {};')).toHaveLength(1);
    },
  );
});

describe('allows', () => {
  test.each([
    ['rules/lock.ts', `import type { Rule } from '../spi/rule.ts';`],
    ['rules/lock.ts', `import { enqueue } from './queue.ts';`],
    ['core/owner.ts', `import { AsyncLocalStorage } from 'node:async_hooks';`],
    ['synchronizers/lock.ts', `import { wait } from '../core/wait.ts';`],
    ['kernels/kinds.ts', `import { createLock } from '../synchronizers/lock/plain-lock.ts';`],
    ['engines/redis/spring-locks.ts', `import { a } from '../../synchronizers/lock/plain-lock.ts';`],
    ['engines/memory/index.ts', `import { assemble } from '../../kernels/assemble.ts';`],
    ['engines/memory/store.ts', `import { wait } from '../../core/acquire/wait.ts';`],
    ['engines/postgres/store.ts', `import { update } from '../sql/update.ts';`],
    ['engines/redis/connect.ts', `const driver = import('redis');`],
    ['testing/lock-suite.ts', `import type { Rule } from '../spi/rule.ts';`],
    ['testing/lock-suite.ts', `import { LeaseLostError } from '../index.ts';`],
    ['spi/synchronizers.ts', `export type * from './api/lock.ts';`],
    ['kernels/cells/rows.ts', `import { own } from '../../core/own.ts'; const mine = own; export { mine };`],
    ['engines/redis/index.ts', `export type * from '../../spi/engine/inspector.ts';`],
    ['testing/index.ts', `export type { Clock } from '../spi/clock.ts';`],
    ['engine.ts', `export { subjectOf } from './core/arguments.ts';`],
    ['index.ts', `const memory = import('./engines/memory/index.ts');`],
    ['index.ts', `export type { MemoryOptions } from './engines/memory/index.ts';`],
    ['core/time/clock.ts', 'export const now = () => performance.now() + Date.now();'],
    ['core/wait.ts', 'clock.setTimeout(tick, 5); // setTimeout would not be seen by the simulation'],
    ['core/wait.ts', 'export interface Clock { setTimeout(tick: () => void): void; at: Date }'],
    ['core/wait.ts', 'const text = "Date.now() is refused";'],
    ['testing/lock-suite.ts', 'await Promise.race([step, end]);'],
    ['core/wait.ts', 'await horses.race(); // Promise.race would leak'],
    ['core/manage.ts', 'export const clock = { setTimeout() {} };'],
  ])('%s: %s', (file, text) => {
    expect(violationsOf(file, text)).toEqual([]);
  });
});

test('says where, what, and what would be allowed', () => {
  expect(violationsOf('rules/lock.ts', `\nimport { wait } from '../core/wait.ts';\n`)).toEqual([
    `src/rules/lock.ts:2: value import of '../core/wait.ts'; allowed here: its own folder; spi`,
  ]);
});

test('src/ keeps the law', { timeout: 60_000 }, () => {
  expect(checkLayers(fileURLToPath(new URL('../../src', import.meta.url)))).toEqual([]);
});
