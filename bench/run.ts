// `npm run bench -- [--scenario NAME] [--engine NAME] [--quick] [--json FILE]`
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { chosenOf } from './chosen.ts';
import { machine } from './machine.ts';
import { durationText, expectedMs } from './expected.ts';
import { everybodyOf, measureTrials, quicklyOf } from './measure-trials.ts';
import { sumOf } from './shares.ts';
import { trialTable } from './trial-table.ts';
import { trials } from './trials.ts';

const { values: options } = parseArgs({
  options: {
    scenario: { type: 'string', default: '' },
    engine: { type: 'string', default: '' },
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
});

const speed = options.quick ? 'quick' : 'full';
const contestantsOf = options.quick ? quicklyOf : everybodyOf;
const named = chosenOf(trials, options.scenario, options.engine);
// Who names a scenario gets it, and waits as long as it takes.
const leftOut =
  options.quick && options.scenario === '' ? named.filter(({ slow }) => slow !== undefined) : [];
const chosen = named.filter((trial) => !leftOut.includes(trial));
const before = machine();
console.log(`Node ${before.node}, ${before.cores} x ${before.cpu}`);
const expected = chosen.map((trial) => expectedMs(trial, contestantsOf(trial).length, speed));
console.log(`about ${durationText(sumOf(expected))} for ${chosen.length} scenarios`);
for (const { name, engine, slow } of leftOut) console.log(`left out: ${name} (${engine}), ${slow}`);
console.log();
const results = [];
for await (const judged of measureTrials(chosen, speed, contestantsOf)) {
  console.log(`${trialTable(judged)}\n`);
  const { result, verdicts, load } = judged;
  results.push({ ...result, verdicts, load });
}
const after = machine();
console.log(`load average ${before.load.toFixed(2)} before, ${after.load.toFixed(2)} after`);
if (options.json !== undefined) {
  writeFileSync(options.json, `${JSON.stringify({ before, after, results }, null, 2)}\n`);
}
