import { expect, test } from 'vitest';
import { eventText } from '../../src/dashboard/frames.ts';
import { readEvent } from '../../page/live/events.ts';

const rows = [{ name: 'a\u2028b\u2029c' }];

test('a name with a separator of lines is read, and sent as an escape', () => {
  const text = eventText('all', { rows }).trimEnd();
  expect(text).not.toMatch(/[\u2028\u2029]/);
  expect(readEvent(text)).toEqual({ event: 'all', data: { rows } });
  // Of an older server, which did not escape it.
  expect(readEvent(`event: all\ndata: ${JSON.stringify({ rows })}`)).toEqual({
    event: 'all',
    data: { rows },
  });
});

test('a comment is no event, and what is not known is not passed over', () => {
  expect(readEvent(': still here')).toBeUndefined();
  for (const text of ['event: more\ndata: {}', '<h1>Sign in</h1>', 'event: all\ndata: {', 'data: {}'])
    expect(() => readEvent(text), text).toThrow(/does not know|JSON/);
});
