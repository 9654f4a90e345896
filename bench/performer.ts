// One contestant in one scenario, in a process of its own: for each message, a number of milliseconds, it performs for so
// long and answers its rate. It ends when nobody asks any more.
import { measureRound } from './round.ts';
import { scenarios } from './scenarios/index.ts';

const [scenarioName, contestantName] = process.argv.slice(2);
const scenario = scenarios.find(({ name }) => name === scenarioName);
const contestant = scenario?.contestants.find(({ name }) => name === contestantName);
if (scenario === undefined || contestant === undefined) {
  throw new RangeError(`no contestant ${contestantName} in ${scenarioName}`);
}

const bout = await contestant.open();
process.on('message', (roundMs) => {
  void measureRound(scenario, bout, Number(roundMs), () => performance.now()).then((rate) =>
    process.send?.(rate),
  );
});
process.on('disconnect', () => void bout.close());
