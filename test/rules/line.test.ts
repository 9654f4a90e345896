import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exclusiveLine, type LineRule, permitsLine, readWriteLine } from '../../src/rules/line.ts';
import type { LineTicket } from '../../src/spi/engine/ticket-line.ts';

const TOTAL = 4;

/** Tickets of every sort, in any order of the list. */
const someLine = fc
  .array(
    fc.record({
      side: fc.constantFrom('read' as const, 'write' as const),
      permits: fc.integer({ min: 1, max: TOTAL }),
      order: fc.integer({ min: 1, max: 1000 }),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((claims): LineTicket[] => {
    const orders = new Set<number>();
    return claims
      .filter(({ order }) => !orders.has(order) && orders.add(order))
      .map((claim) => ({ ...claim, id: `owner:${claim.order}` }));
  });

const rules: Readonly<Record<string, LineRule>> = {
  exclusive: exclusiveLine,
  'read and write': readWriteLine,
  'K of N': permitsLine(TOTAL),
};

function insiders(rule: LineRule, line: readonly LineTicket[]): readonly string[] {
  return line.map(({ id }) => id).filter((id) => rule.standing(line, id).kind === 'in');
}

function without(line: readonly LineTicket[], gone: readonly string[]): LineTicket[] {
  return line.filter(({ id }) => !gone.includes(id));
}

/** The read that may join under a write, at its position, though others wait behind it. */
function readsUnder(line: readonly LineTicket[], id: string): readonly LineTicket[] {
  return line
    .filter((ticket) => ticket.id === id && ticket.side === 'write')
    .map((ticket) => ({ ...ticket, id: `under ${id}`, side: 'read' as const }));
}

describe.each(Object.entries(rules))('a line, %s', (_name, rule) => {
  test('the holders are those whose own look says that they are in', () => {
    fc.assert(
      fc.property(someLine, (line) => {
        const holders = rule.holders(line).map(({ id }) => id);
        expect(holders.toSorted()).toEqual(insiders(rule, line).toSorted());
      }),
    );
  });

  test('a line that is not empty has a holder', () => {
    fc.assert(
      fc.property(someLine, (line) => {
        expect(insiders(rule, line).length).toBeGreaterThan(0);
      }),
    );
  });

  test('a ticket that joins later changes nothing for those ahead', () => {
    fc.assert(
      fc.property(someLine, (line) => {
        const sorted = line.toSorted((one, other) => one.order - other.order);
        for (const [at, { id }] of sorted.entries()) {
          expect(rule.standing(sorted, id)).toEqual(rule.standing(sorted.slice(0, at + 1), id));
        }
      }),
    );
  });

  // No stuck waiter: whatever else goes, it cannot be in before one that it watches has gone.
  test('as long as all that a ticket watches stand, it is not in', () => {
    fc.assert(
      fc.property(someLine, fc.nat(), fc.array(fc.nat()), (line, pick, leaving) => {
        const { id } = line[pick % line.length]!;
        const standing = rule.standing(line, id);
        fc.pre(standing.kind === 'behind');
        const stays = new Set([...(standing.kind === 'behind' ? standing.watch : []), id]);
        const gone = leaving.map((at) => line[at % line.length]!.id).filter((one) => !stays.has(one));
        expect(rule.standing(without(line, gone), id).kind).toBe('behind');
      }),
    );
  });

  // What allows an owner to enter without another list, and a waiter that is not next to list it in vain.
  test('a ticket is next exactly if it is in when any one that it watches goes, whatever has joined since', () => {
    fc.assert(
      fc.property(someLine, fc.nat(), (line, pick) => {
        const { id } = line[pick % line.length]!;
        const standing = rule.standing(line, id);
        fc.pre(standing.kind === 'behind');
        const watch = standing.kind === 'behind' ? standing.watch : [];
        const isIn = watch.every((gone) => {
          const joined = rule === readWriteLine ? [...line, ...readsUnder(line, gone)] : line;
          return rule.standing(without(joined, [gone]), id).kind === 'in';
        });
        expect(standing).toMatchObject({ isNext: isIn });
      }),
    );
  });

  test('a ticket watches only tickets ahead of it, and each of them once', () => {
    fc.assert(
      fc.property(someLine, (line) => {
        for (const { id, order } of line) {
          const standing = rule.standing(line, id);
          const watch = standing.kind === 'behind' ? standing.watch : [];
          const ahead = new Set(line.filter((other) => other.order < order).map((other) => other.id));
          expect(new Set(watch).size).toBe(watch.length);
          expect(watch.filter((watched) => !ahead.has(watched))).toEqual([]);
        }
      }),
    );
  });

  test('tickets that leave admit others and push none out', () => {
    fc.assert(
      fc.property(someLine, fc.nat(), (line, pick) => {
        const { id } = line[pick % line.length]!;
        const after = insiders(rule, without(line, [id]));
        const stayed = insiders(rule, line).filter((insider) => insider !== id);
        expect(stayed.filter((insider) => !after.includes(insider))).toEqual([]);
      }),
    );
  });

  test('a ticket that is not in the line is absent', () => {
    expect(rule.standing([], 'owner:1')).toEqual({ kind: 'absent' });
  });

  test('of two tickets of one id the first counts', () => {
    const twice: LineTicket[] = [
      { id: 'a', order: 2 },
      { id: 'b', order: 5 },
      { id: 'a', order: 9 },
    ];
    expect(rule.standing(twice, 'a')).toEqual({ kind: 'in' });
  });
});

describe('an exclusive line', () => {
  test('has one holder, and each other ticket watches the one directly ahead: no herd', () => {
    fc.assert(
      fc.property(someLine, (line) => {
        const sorted = line.toSorted((one, other) => one.order - other.order);
        expect(exclusiveLine.holders(line)).toEqual(sorted.slice(0, 1));
        for (const [at, { id }] of sorted.entries()) {
          const watch = at === 0 ? [] : [sorted[at - 1]!.id];
          const expected = at === 0 ? { kind: 'in' } : { kind: 'behind', watch, isNext: at === 1 };
          expect(exclusiveLine.standing(line, id)).toEqual(expected);
        }
      }),
    );
  });
});

describe('a line of readers and writers', () => {
  test('never has a writer beside another holder', () => {
    fc.assert(
      fc.property(someLine, (line) => {
        const holders = readWriteLine.holders(line);
        expect(holders.length === 1 || holders.every(({ side }) => side === 'read')).toBe(true);
      }),
    );
  });

  test('a reader watches the last writer ahead, a writer the ticket directly ahead', () => {
    const line: LineTicket[] = [
      { id: 'w1', order: 1, side: 'write' },
      { id: 'w2', order: 2, side: 'write' },
      { id: 'r3', order: 3, side: 'read' },
      { id: 'r4', order: 4, side: 'read' },
      { id: 'w5', order: 5, side: 'write' },
    ];
    expect(readWriteLine.standing(line, 'r4')).toEqual({ kind: 'behind', watch: ['w2'], isNext: false });
    expect(readWriteLine.standing(line, 'w5')).toEqual({ kind: 'behind', watch: ['r4'], isNext: false });
  });

  test('a read under a write is in with it, and keeps later writers out when the write has left', () => {
    const read: LineTicket = { id: 'r', order: 1, side: 'read' };
    const next: LineTicket = { id: 'w2', order: 2, side: 'write' };
    const line: LineTicket[] = [{ id: 'w', order: 1, side: 'write' }, read, next];
    expect(readWriteLine.holders(line).map(({ id }) => id)).toEqual(['w', 'r']);
    expect(readWriteLine.standing([read, next], 'w2')).toEqual({
      kind: 'behind',
      watch: ['r'],
      isNext: true,
    });
    expect(readWriteLine.standing([read, next], 'r')).toEqual({ kind: 'in' });
  });
});

describe('a line of permits', () => {
  test('never gives out more than there are', () => {
    fc.assert(
      fc.property(someLine, (line) => {
        const taken = permitsLine(TOTAL)
          .holders(line)
          .reduce((sum, { permits = 1 }) => sum + permits, 0);
        expect(taken).toBeLessThanOrEqual(TOTAL);
      }),
    );
  });

  test('a waiter is woken whichever permit comes back, not only the one N places ahead', () => {
    const line: LineTicket[] = [1, 2, 3].map((order) => ({ id: `${order}`, order }));
    expect(permitsLine(2).standing(line, '3')).toEqual({ kind: 'behind', watch: ['2', '1'], isNext: true });
  });

  test('a line with another number of permits is refused', () => {
    const line: LineTicket[] = [
      { id: 'a', order: 1, total: 3 },
      { id: 'b', order: 2, total: 5 },
    ];
    expect(permitsLine(5).standing(line, 'b')).toEqual({ kind: 'mismatch', total: 3 });
    expect(permitsLine(3).standing(line, 'a')).toEqual({ kind: 'in' });
  });
});
