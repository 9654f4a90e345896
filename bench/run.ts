// `npm run bench -- [--scenario NAME] [--engine NAME] [--quick] [--json FILE] [--page]`
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { chosenOf } from './chosen.ts';
import { durationText, expectedMs } from './expected.ts';
import { load, machine } from './machine.ts';
import { everybodyOf, measureTrials, quicklyOf } from './measure-trials.ts';
import { recordText } from './record-text.ts';
import { type TrialRecord, trialRecord } from './run-record.ts';
import { trialTable } from './trial-table.ts';
import { trials } from './trials.ts';
import { versionsFor } from './versions.ts';
import { writePage } from './write-page.ts';

const { values: options } = parseArgs({
  options: {
    scenario: { type: 'string', default: '' },
    engine: { type: 'string', default: '' },
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
    page: { type: 'boolean', default: false },
  },
});

if (options.page && options.scenario + options.engine !== '') {
  throw new RangeError('the page is made of a whole run');
}
const speed = options.quick ? 'quick' : 'full';
const contestantsOf = options.quick ? quicklyOf : everybodyOf;
const named = chosenOf(trials, options.scenario, options.engine);
// A scenario that the command names is measured however long it takes.
const leftOut =
  options.quick && options.scenario === '' ? named.filter(({ slow }) => slow !== undefined) : [];
const chosen = named.filter((trial) => !leftOut.includes(trial));
const facts = {
  date: new Date().toISOString(),
  speed,
  machine: machine(),
  versions: versionsFor(chosen.map(({ engine }) => engine)),
  leftOut: leftOut.map(({ name, engine, slow = '' }) => ({ name, engine, why: slow })),
} as const;
const { node, cores, cpu } = facts.machine;
const before = load();
console.log(`Node ${node}, ${cores} x ${cpu}`);
const expected = durationText(expectedMs(chosen, contestantsOf, speed));
console.log(`about ${expected} for ${chosen.length} scenarios`);
for (const { name, engine, why } of facts.leftOut) console.log(`left out: ${name} (${engine}), ${why}`);
console.log();
const records: TrialRecord[] = [];
for await (const judged of measureTrials(chosen, speed, contestantsOf)) {
  console.log(`${trialTable(judged)}\n`);
  records.push(trialRecord(judged, speed));
  // As far as it has come: a run takes most of an hour, and what was measured before a failure is not lost with it.
  if (options.json !== undefined) writeFileSync(options.json, recordText({ ...facts, trials: records }));
}
console.log(`load average ${before.toFixed(2)} before, ${load().toFixed(2)} after`);
if (options.page) writePage({ ...facts, trials: records });
