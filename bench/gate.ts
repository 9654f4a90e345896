// `npm run bench:gate -- [--scenario NAME] [--engine NAME]`: the speeds that we promise, as ratios to others measured in
// the same rounds.
import { parseArgs } from 'node:util';
import { chosenOf } from './chosen.ts';
import { measureTrials, promisedOf } from './measure-trials.ts';
import { trials } from './trials.ts';
import { isBroken, type Verdict, verdictLine } from './verdict.ts';

const { values: options } = parseArgs({
  options: { scenario: { type: 'string', default: '' }, engine: { type: 'string', default: '' } },
});
const chosen = chosenOf(
  trials.filter(({ promises }) => promises.length > 0),
  options.scenario,
  options.engine,
);

const all: Verdict[] = [];
for await (const { trial, result, verdicts } of measureTrials(chosen, 'full', promisedOf)) {
  all.push(...verdicts);
  for (const { contestant, why } of result.crashed)
    console.log(`FAIL  ${contestant} crashed: ${why} [${trial.name}]`);
  for (const verdict of verdicts) console.log(`${verdictLine(verdict)} [${trial.name}]`);
}
const kept = all.filter((verdict) => verdict.kept).length;
const broken = all.filter(isBroken).length;
console.log(`${kept} kept, ${broken} broken, ${all.length - kept - broken} missed that are out of reach`);
process.exitCode = broken > 0 ? 1 : 0;
