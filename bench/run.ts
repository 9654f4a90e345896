// `npm run bench -- [--scenario NAME] [--engine NAME] [--quick] [--json FILE]`
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { machine } from './machine.ts';
import { fullPlan, quickPlan } from './plan.ts';
import { measure } from './runner.ts';
import { scenarios } from './scenarios/index.ts';
import { ownProcesses } from './stage.ts';
import { table } from './table.ts';

const { values: options } = parseArgs({
  options: {
    scenario: { type: 'string', default: '' },
    engine: { type: 'string', default: '' },
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
});

const chosen = scenarios.filter(
  ({ name, engine }) => name.includes(options.scenario) && engine.includes(options.engine),
);
if (chosen.length === 0) throw new RangeError('no scenario has that name and engine');

const before = machine();
const results = await measure(chosen, options.quick ? quickPlan : fullPlan, ownProcesses());
const after = machine();

console.log(`\nNode ${before.node}, ${before.cores} x ${before.cpu}`);
console.log(`load average ${before.load.toFixed(2)} before, ${after.load.toFixed(2)} after\n`);
for (const result of results) console.log(`${table(result)}\n`);
if (options.json !== undefined) {
  writeFileSync(options.json, `${JSON.stringify({ before, after, results }, null, 2)}\n`);
}
