import { describe, expect, test } from 'vitest';
import { hotSpotsOf } from '../../bench/profile/hot-spots.ts';
import { originOf } from '../../bench/profile/origin.ts';

const frame = (functionName: string, url = '', lineNumber = 0) => ({ functionName, url, lineNumber });

describe('where the time of a process went', () => {
  test('is attributed by the file that ran', () => {
    const dist = 'file:///somewhere/dist/core/turnstile.js';
    expect(originOf(frame('enter', dist))).toBe('holdfast');
    expect(originOf(frame('call', 'file:///a/node_modules/ioredis/built/Redis.js'))).toBe('ioredis');
    expect(originOf(frame('x', 'file:///a/node_modules/@redis/client/dist/lib/client.js'))).toBe(
      '@redis/client',
    );
    expect(originOf(frame('x', 'file:///a/node_modules/b/node_modules/c/index.js'))).toBe('c');
    expect(originOf(frame('writeUtf8String'))).toBe('writing to sockets');
    expect(originOf(frame('(garbage collector)'))).toBe('collecting garbage');
    expect(originOf(frame('runMicrotasks'))).toBe('microtasks');
    expect(originOf(frame('onread', 'node:net'))).toBe('node');
    expect(originOf(frame('loop', 'file:///a/bench/.build/bench/run.js'))).toBe('the benchmark');
  });

  test('is the sum over all looks at all processes, without the time in which they waited', () => {
    const profile = {
      nodes: [
        { id: 1, callFrame: frame('(idle)') },
        { id: 2, callFrame: frame('enter', 'file:///x/dist/core/turnstile.js', 11) },
        { id: 3, callFrame: frame('', 'node:net', 4) },
      ],
      samples: [1, 2, 3, 2],
      timeDeltas: [5000, 2000, 1000, 1000],
    };
    const { workedMs, origins, functions } = hotSpotsOf([profile, profile]);
    expect(workedMs).toBe(8);
    expect(origins).toEqual([
      { where: 'holdfast', share: 0.75 },
      { where: 'node', share: 0.25 },
    ]);
    expect(functions.map(({ where }) => where)).toEqual([
      'enter (core/turnstile.js:12)',
      '(anonymous) (node:net:5)',
    ]);
  });
});
