// `npm run bench -- [--scenario NAME] [--engine NAME] [--quick] [--json FILE]`
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { chosenOf } from './chosen.ts';
import { machine } from './machine.ts';
import { everybodyOf, measureTrials } from './measure-trials.ts';
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

const chosen = chosenOf(trials, options.scenario, options.engine);
const before = machine();
console.log(`Node ${before.node}, ${before.cores} x ${before.cpu}\n`);
const results = [];
for await (const judged of measureTrials(chosen, options.quick ? 'quick' : 'full', everybodyOf)) {
  console.log(`${trialTable(judged)}\n`);
  const { result, verdicts, load } = judged;
  results.push({ ...result, verdicts, load });
}
const after = machine();
console.log(`load average ${before.load.toFixed(2)} before, ${after.load.toFixed(2)} after`);
if (options.json !== undefined) {
  writeFileSync(options.json, `${JSON.stringify({ before, after, results }, null, 2)}\n`);
}
