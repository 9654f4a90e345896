import { virtualSurroundings } from '../virtual-surroundings.ts';
import { lineSuites } from './line-suites.ts';
import { MemoryLinesHarness } from './memory-lines-harness.ts';

// Fences are revisions of the answer that proves the hold, and no ticket joins under another one.
lineSuites(new MemoryLinesHarness(virtualSurroundings(), { likeEtcd: true }), {
  readWriteLock: [
    {
      reason:
        'a reader under its own write keeps the ticket of the write: a new one would stand behind the writers that wait',
      tests: [
        'a writer may read, and keeps reading when it stops to write',
        'readers that waited for a writer come in when it only reads any more',
        'each side tells of itself',
      ],
    },
    {
      reason:
        'a reader under its own write asks the store nothing, and is in whether the store answers or not',
      tests: ['a single attempt to read under a write, behind another, hears of an outage too'],
    },
  ],
});
