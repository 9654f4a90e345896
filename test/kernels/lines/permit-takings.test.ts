import { expect, test } from 'vitest';
import type { LineContext } from '../../../src/kernels/lines/line-context.ts';
import { LineTurns } from '../../../src/kernels/lines/turns/line-turns.ts';
import { PermitTakings } from '../../../src/kernels/lines/permit-takings.ts';
import { newClient } from '../../core/new-client.ts';
import { VirtualClock } from '../../fixtures/virtual-clock.ts';

function openTakings() {
  const whenEnded = new Set<() => void>();
  const context = { client: newClient(new VirtualClock()), session: { whenEnded } } as unknown as LineContext;
  const takings = new PermitTakings(context, new LineTurns(context, 'semaphoreLease'));
  const endSession = (): void => {
    for (const call of whenEnded) call();
  };
  return { takings, endSession };
}

// No holder releases what was lost with its session: the records of lost permits would stay for as long as the client lives.
test('a hold is forgotten with its session', () => {
  const { takings, endSession } = openTakings();
  takings.begin('a', 'one', 2).isHeld = true;
  takings.begin('b', 'two', 1).isHeld = true;
  endSession();
  expect(takings.size).toBe(0);
});

// Its attempt may be granted in the next session, and is then given back: one ticket for each permit.
test('an owner on its way is remembered with all its tickets until it gives up', () => {
  const { takings, endSession } = openTakings();
  const { tickets } = takings.begin('a', 'one', 3);
  endSession();
  expect(takings.get('one')?.tickets).toEqual(tickets);
  expect(new Set(tickets).size).toBe(3);
  takings.forget('one');
  expect(takings.size).toBe(0);
});

test('a ticket names its owner, whichever of its permits it stands for', () => {
  const { takings } = openTakings();
  const taking = takings.begin('a', 'one', 2);
  takings.begin('a', 'two', 1);
  expect(taking.tickets.map((ticket) => takings.ofTicket(ticket)?.owner)).toEqual(['one', 'one']);
  expect(takings.ofTicket('another')).toBeUndefined();
});
