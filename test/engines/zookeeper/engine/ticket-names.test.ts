import { describe, expect, test } from 'vitest';
import { isNodePath, nodePath } from '../../../../src/engines/zookeeper/layout/node-path.ts';
import { decodeTicketData, encodeTicketData } from '../../../../src/engines/zookeeper/layout/ticket-data.ts';
import { ticketIdOf, ticketsIn } from '../../../../src/engines/zookeeper/layout/ticket-names.ts';

const A = '0867c787-9f58-4352-a2f8-dcf703074199';
const B = '1867c787-9f58-4352-a2f8-dcf703074199';

describe('the order of a line', () => {
  const ids = (kind: string, ...nodes: string[]) => ticketsIn(kind, nodes, ticketIdOf).map(({ id }) => id);

  test('is that of the sequence, whatever the names begin with', () => {
    expect(ids('lock', `_c_${B}-lock-0000000002`, `_c_${A}-lock-0000000010`)).toEqual([B, A]);
  });

  test('goes on past the number where the counter of the server becomes negative', () => {
    expect(ids('lock', `_c_${B}-lock--2147483648`, `_c_${A}-lock-2147483647`)).toEqual([A, B]);
  });

  test('has nodes of another make where Curator sorts them: ahead below the digits, else behind', () => {
    expect(ids('lock', `_c_${A}-lock-0000000000`, '!first', 'other')).toEqual(['!first', A]);
  });

  test('is one for both sides of a read-write lock', () => {
    const nodes = [`_c_${B}-__READ__0000000007`, `_c_${A}-__WRIT__0000000003`];
    expect(ticketsIn('readWriteLock', nodes, ticketIdOf)).toEqual([
      { id: A, order: 3, side: 'write' },
      { id: B, order: 7, side: 'read' },
    ]);
  });
});

describe('a name', () => {
  test('that is a path is that path', () => {
    expect(nodePath('lock', '/locks/nightly')).toBe('/locks/nightly');
  });

  test.each(['a', 'a/b', '/', '//', '/a/', '/a/../b', '..', '.', '/\u0001', '/😀'])(
    'such as %j is one node of its own',
    (name) => {
      const path = nodePath('lock', name);
      expect(path.split('/')).toHaveLength(4);
      expect(isNodePath(path)).toBe(true);
    },
  );
});

describe('the data of a leader', () => {
  test.each([null, '', 'node-1', '5', '"', 5, true, { host: 'a' }, ['x']])('%j is read back', (value) => {
    const data = encodeTicketData('election', { fences: 1, value });
    expect(decodeTicketData('election', data).value).toEqual(value);
  });

  test('shows a text to Java as it is', () => {
    expect(encodeTicketData('election', { fences: 1, value: 'node-1' }).toString()).toBe('node-1');
  });
});
