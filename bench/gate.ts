// `npm run bench:gate -- [--scenario NAME] [--engine NAME]`: the speeds that we promise, as ratios to others measured in
// the same rounds.
import { parseArgs } from 'node:util';
import { asyncMutex, asyncSemaphore } from './contestants/async-mutex.ts';
import { holdfastMemory } from './contestants/holdfast-memory.ts';
import { measureTrials, promisedOf } from './measure-trials.ts';
import { fullPlan } from './plan.ts';
import { ratioOf } from './results.ts';
import { measure } from './runner.ts';
import { manyWaiters, uncontendedPair } from './scenarios/in-process.ts';
import { ownProcesses } from './stage.ts';
import { trials } from './trials.ts';
import { verdictLine } from './verdict.ts';

const { values: options } = parseArgs({
  options: { scenario: { type: 'string', default: '' }, engine: { type: 'string', default: '' } },
});
const isChosen = ({ name, engine }: { readonly name: string; readonly engine: string }) =>
  name.includes(options.scenario) && engine.includes(options.engine);

const promises = [
  { contestant: holdfastMemory.name, baseline: asyncMutex.name, least: 1 },
  { contestant: holdfastMemory.name, baseline: asyncSemaphore.name, least: 0.25 },
];

let checked = 0;
let failed = 0;
function tell(kept: boolean, line: string): void {
  checked += 1;
  if (!kept) failed += 1;
  console.log(line);
}

const chosen = [uncontendedPair, manyWaiters].filter(isChosen);
for (const result of chosen.length > 0 ? await measure(chosen, fullPlan, ownProcesses()) : []) {
  for (const { contestant, baseline, least } of promises) {
    const actual = ratioOf(result, contestant, baseline);
    const kept = actual >= least;
    tell(
      kept,
      `${kept ? 'ok  ' : 'FAIL'}  ${result.scenario}: ${contestant} is ${actual.toFixed(2)} x ${baseline}, at least ${least}`,
    );
  }
}
for await (const { trial, verdicts } of measureTrials(trials.filter(isChosen), 'full', promisedOf)) {
  for (const verdict of verdicts) tell(verdict.kept, `${verdictLine(verdict)} [${trial.name}]`);
}
if (checked === 0) throw new RangeError('no promise has that name and engine');
process.exitCode = failed > 0 ? 1 : 0;
