// `npm run bench -- [--scenario NAME] [--engine NAME] [--quick] [--json FILE]`
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { machine } from './machine.ts';
import { everybodyOf, measureTrials } from './measure-trials.ts';
import { fullPlan, quickPlan } from './plan.ts';
import { measure } from './runner.ts';
import { scenarios } from './scenarios/index.ts';
import { ownProcesses } from './stage.ts';
import { table } from './table.ts';
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

const isChosen = ({ name, engine }: { readonly name: string; readonly engine: string }) =>
  name.includes(options.scenario) && engine.includes(options.engine);
const chosen = scenarios.filter(isChosen);
const chosenTrials = trials.filter(isChosen);
if (chosen.length + chosenTrials.length === 0) throw new RangeError('no scenario has that name and engine');

const before = machine();
console.log(`Node ${before.node}, ${before.cores} x ${before.cpu}\n`);
const results =
  chosen.length > 0 ? await measure(chosen, options.quick ? quickPlan : fullPlan, ownProcesses()) : [];
for (const result of results) console.log(`${table(result)}\n`);
const trialResults = [];
for await (const judged of measureTrials(chosenTrials, options.quick ? 'quick' : 'full', everybodyOf)) {
  console.log(`${trialTable(judged)}\n`);
  const { result, verdicts, load } = judged;
  trialResults.push({ ...result, verdicts, load });
}
const after = machine();
console.log(`load average ${before.load.toFixed(2)} before, ${after.load.toFixed(2)} after`);
if (options.json !== undefined) {
  writeFileSync(options.json, `${JSON.stringify({ before, after, results, trialResults }, null, 2)}\n`);
}
