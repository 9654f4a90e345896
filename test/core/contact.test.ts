import { expect, test } from 'vitest';
import { Contact, isOwedForLong } from '../../src/core/acquire/contact.ts';

test('silence for nearly the whole of a short wait is an outage; for a moment at its end it is not', () => {
  // The line begins to count some microseconds after the time of the waiter has begun.
  expect(isOwedForLong(49.99, 50)).toBe(true);
  expect(isOwedForLong(40, 50)).toBe(false);
});

test('a waiter that asks for itself is judged by its own answers, and no more by the waiter it stood behind', () => {
  const contact = new Contact(false);
  contact.standBehind({
    owedSince: () => 0,
    fullStore: () => new Error('full'),
    follow: () => () => undefined,
  });
  expect(contact.isSilent(5000, 1000)).toBe(true);
  contact.noteRequest(5000, true);
  expect(contact.owedSince()).toBe(5000);
  expect(contact.fullStore()).toBe(undefined);
  contact.noteAnswer(true);
  expect(contact.isSilent(9000, 1000)).toBe(false);
});

test('an attempt that follows a wait hears at once of an answer that came before, and else of the next one', () => {
  const heard: string[] = [];
  new Contact(true).follow((end) => heard.push(`before: ${end}`));
  expect(heard).toEqual(['before: busy']);
  const owed = new Contact(true, false, 5);
  owed.follow((end) => heard.push(`after: ${end}`));
  expect(heard).toHaveLength(1);
  owed.noteAnswer(true);
  expect(heard).toEqual(['before: busy', 'after: busy']);
});
