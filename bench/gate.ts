// `npm run bench:gate -- [--scenario NAME] [--engine NAME]`: the speeds that we promise, as ratios to others measured in
// the same rounds.
import { parseArgs } from 'node:util';
import { chosenOf } from './chosen.ts';
import { measureTrials, promisedOf } from './measure-trials.ts';
import { trials } from './trials.ts';
import { verdictLine } from './verdict.ts';

const { values: options } = parseArgs({
  options: { scenario: { type: 'string', default: '' }, engine: { type: 'string', default: '' } },
});
const chosen = chosenOf(
  trials.filter(({ promises }) => promises.length > 0),
  options.scenario,
  options.engine,
);

let failed = 0;
for await (const { trial, verdicts } of measureTrials(chosen, 'full', promisedOf)) {
  for (const verdict of verdicts) {
    if (!verdict.kept) failed += 1;
    console.log(`${verdictLine(verdict)} [${trial.name}]`);
  }
}
process.exitCode = failed > 0 ? 1 : 0;
