import { describe, expect, test } from 'vitest';
import { decodeAnnouncement } from '../../src/core/announcing/announcement.ts';
import { holderName } from '../../src/spi/holder-name.ts';

const NASTY = `a\u001B[2J\r\nERROR: forged\u202E\u2028${'x'.repeat(1_000_000)}`;
const PLAIN = `a[2JERROR: forged${'x'.repeat(183)}…`;

describe('an announcement that another program wrote', () => {
  test('is one short line wherever it is shown', () => {
    const fields = { host: NASTY, pid: 1, command: NASTY, name: NASTY, process: NASTY };
    const said = decodeAnnouncement(JSON.stringify({ ...fields, owners: { 'x:1': NASTY } }))!;
    expect(said.card).toEqual({ host: PLAIN, pid: 1, command: PLAIN, name: PLAIN });
    expect([said.process, said.labels.get('x:1')]).toEqual([PLAIN, PLAIN]);
    const shown = holderName({ owner: 'x:1', program: 'holdfast', client: said.card, label: PLAIN });
    expect(shown.length).toBeLessThan(700);
  });

  test('has no more labels than a client announces', () => {
    const owners = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`x:${at}`, 'label']));
    const said = decodeAnnouncement(JSON.stringify({ host: 'h', pid: 1, command: 'c', owners }))!;
    expect(said.labels.size).toBe(100);
  });

  test('is read also if a field is something else', () => {
    const text = '{"host":"h","pid":1,"command":"c","name":7,"process":{"toString":1},"owners":{"x:1":7}}';
    expect(decodeAnnouncement(text)).toEqual({
      card: { host: 'h', pid: 1, command: 'c' },
      process: '',
      labels: new Map(),
    });
  });
});

test('what minHoldMs has left of a hold is marked: the holder may have gone', () => {
  const client = { host: 'web', pid: 7, command: 'job.js' };
  expect(holderName({ owner: 'x:1+kept', program: 'holdfast', client })).toBe('web (pid 7), kept');
  expect(holderName({ owner: 'x:1+kept', program: 'holdfast' })).toBe('x:1, kept');
});

test('the id of a holder of another program is one short line in its name', () => {
  expect(holderName({ owner: NASTY, program: 'other' })).toBe(`${PLAIN} (another program)`);
});
