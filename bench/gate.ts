// `npm run bench:gate`: the speeds that we promise, as ratios to others measured in the same rounds.
import { asyncMutex, asyncSemaphore } from './contestants/async-mutex.ts';
import { holdfastMemory } from './contestants/holdfast-memory.ts';
import { fullPlan } from './plan.ts';
import { ratioOf } from './results.ts';
import { measure } from './runner.ts';
import { manyWaiters, uncontendedPair } from './scenarios/in-process.ts';
import { ownProcesses } from './stage.ts';

const promises = [
  { contestant: holdfastMemory.name, baseline: asyncMutex.name, least: 1 },
  { contestant: holdfastMemory.name, baseline: asyncSemaphore.name, least: 0.25 },
];

let failed = 0;
for (const result of await measure([uncontendedPair, manyWaiters], fullPlan, ownProcesses())) {
  for (const { contestant, baseline, least } of promises) {
    const actual = ratioOf(result, contestant, baseline);
    const kept = actual >= least;
    if (!kept) failed += 1;
    console.log(
      `${kept ? 'ok  ' : 'FAIL'}  ${result.scenario}: ${contestant} is ${actual.toFixed(2)} x ${baseline}, at least ${least}`,
    );
  }
}
process.exitCode = failed > 0 ? 1 : 0;
