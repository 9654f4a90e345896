import { expect, test } from 'vitest';
import { StatementsUnderWay } from '../../../src/engines/sql/clients/lending/statements-under-way.ts';
import { waitFor } from '../../fixtures/wait-for.ts';

const LIMIT_MS = 20;
/** Half of the time that a case has, so that a failure names its fact. */
const DEADLINE_MS = 5000;

// The caller of the last try has gone: no later statement looks for it.
test('a statement that follows an abandoned one is abandoned as well, though none follows it', async () => {
  const abandoned: string[] = [];
  const statements = new StatementsUnderWay<string>((statement) => abandoned.push(statement));
  const first = statements.add('first');
  await waitFor('a later try finds the first one', () => {
    statements.abandonAfter(LIMIT_MS);
    return first.isAbandoned;
  });
  const answered = statements.add('answered');
  const last = statements.add('last');
  statements.remove(answered);
  await waitFor('the timer finds the last one', () => last.isAbandoned, DEADLINE_MS);
  expect(abandoned).toEqual(['first', 'last']);
});
