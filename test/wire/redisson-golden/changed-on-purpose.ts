import type { RowId } from './rows.ts';

/** A row in which Holdfast does something else than Redisson, what, and why a Java program beside it does not mind. */
interface Changed {
  readonly row: RowId;
  readonly instead: string;
  readonly because: string;
}

export const CHANGED_ON_PURPOSE: readonly Changed[] = [
  {
    row: 'lock-entered-twice',
    instead: 'the count stays 1, and asking again brings no new lease',
    because:
      're-entry is counted in the process; an owner that asks again in Redis is a copy, which must not be counted. Java looks only whether the field is there.',
  },
  {
    row: 'lock-released-once',
    instead: 'one release frees the lock, and there is no latch key',
    because: 'the count is always 1; owners are never used twice, so that a copy of a release finds nothing.',
  },
  {
    row: 'lock-release-repeated',
    instead: 'a repeated release finds nothing and changes nothing',
    because:
      'the client that has sent it twice knows that the first copy did it. No other client reads latch keys.',
  },
  {
    row: 'lock-released-fully',
    instead: 'there is no latch key',
    because: 'see above; state and message are the same.',
  },
  {
    row: 'fenced-lock',
    instead:
      'fences are the time of the server in microseconds, in a key that ends a week after its last use',
    because:
      'a counter repeats itself after its key is lost. A key that Java made has no end and keeps none, and counts on from where it is.',
  },
  {
    row: 'fair-lock-line',
    instead:
      'the clock is that of the server, and the first of ours in line counts from now and not from the end of the lease',
    because:
      'it asks again long before, and if it has died it is in the way for no longer than it takes to notice. What it contributes is what it takes off those behind when it leaves, which is all that Java counts on.',
  },
  {
    row: 'fair-lock-asked-out-of-turn',
    instead: 'never 0: not before the first in line can be gone',
    because: 'a waiter that gets 0 asks in a loop for as long as the first in line is dead.',
  },
  {
    row: 'fair-lock-released-by-a-stranger',
    instead: 'the answer is that nothing was held; B is notified all the same',
    because: 'a release that released nothing is a loss that its caller must learn of.',
  },
  {
    row: 'read-lock-shared',
    instead: 'one key for each reader, which keeps its fence',
    because:
      're-entry is counted in the process. Java looks at the time of the keys and never at what is in them.',
  },
  {
    row: 'read-lock-upgrade',
    instead: 'refused for good; others learn when the first reader can be gone',
    because: 'a reader that waits to write waits for itself.',
  },
  {
    row: 'write-lock-with-read',
    instead: 'times do not add up, the count stays 1, and a read under a write has an id of its own',
    because:
      're-entry is counted in the process; and a late copy of a release must not free a later read under the same write.',
  },
  {
    row: 'write-lock-downgraded',
    instead: '1 is published',
    because: 'readers that wait can come in, and would sleep on until the time of the hash was over.',
  },
  {
    row: 'semaphore-released-without-any',
    instead: 'a release of what was not taken is not even sent',
    because: 'permits belong to holds; only the number is the same.',
  },
  {
    row: 'semaphore-numbers',
    instead: 'numbers below zero are not told; setting, adding and draining are left to Java',
    because:
      'the listener of Java throws at a negative number, and where nothing is free no client need hear of it.',
  },
  {
    row: 'semaphore-with-a-time',
    instead: 'the time is kept',
    because: 'the client that gave it one wants it to end.',
  },
  {
    row: 'permits-taken',
    instead: 'every permit has an end',
    because: 'the keeper renews those that are to last, so that those of a crashed process come back.',
  },
  {
    row: 'permits-released-together',
    instead:
      'permits that were taken together have one id and are given back together; the new number is published',
    because: 'half of a hold cannot be given back. Java wakes as many of its waiters as the message says.',
  },
  {
    row: 'permits-set-and-added',
    instead:
      'Java changes the number; ours learn that there is another number of permits than they were created with',
    because: 'a semaphore is created with its number, and two numbers are a mistake in one of the programs.',
  },
  {
    row: 'latch-deleted',
    instead: 'a reset to zero tells 0',
    because: 'Java leaves those who wait asleep by a delete; they are let in.',
  },
  {
    row: 'forced-lock',
    instead: 'the fence is raised as well',
    because: 'the resource must refuse what the old holder still writes.',
  },
  {
    row: 'forced-read-lock',
    instead: 'the key of a hold of ours goes with it',
    because: 'its owner would find its hold still standing when it renews it.',
  },
  {
    row: 'spin-lock',
    instead: 'not offered; a spin lock of Java is waited for by asking from time to time',
    because: 'a message wakes sooner and costs less than asking in a loop.',
  },
  {
    row: 'permits-available',
    instead: 'a look changes nothing; the next acquisition gives back what had ended',
    because: 'to look must be harmless, also for the client that may only read.',
  },
  {
    row: 'lock-entered-once-only',
    instead: 'not offered; outside of a scope every acquisition is an owner of its own, and waits',
    because: 'that is what it is for, without an error.',
  },
  {
    row: 'read-lock-renewed-beside-a-longer-one',
    instead: 'the hash keeps the longer time',
    because: 'the reader with the longer lease would be passed by a writer.',
  },
];
