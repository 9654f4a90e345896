// One contestant of a trial, in a process of its own: for each message, a number of milliseconds, it performs for so long
// and answers its figures. It ends with the connection to its parent.
import { trials } from './trials.ts';

const [engine, trialName, contestantName, port, folder = '', speed] = process.argv.slice(2);
const trial = trials.find((each) => each.engine === engine && each.name === trialName);
const contestant = trial?.contestants.find(({ name }) => name === contestantName);
if (contestant === undefined) throw new RangeError(`no contestant ${contestantName} in ${trialName}`);

const bout = await contestant.open(Number(port), folder, speed === 'quick' ? 'quick' : 'full');
process.on('message', (roundMs) => {
  void bout.round(Number(roundMs)).then((figures) => process.send?.(figures));
});
process.send?.('ready');
// By exit and not by waiting for an empty loop: a library that keeps a timer would keep the whole run.
process.on('disconnect', () => void bout.close().then(() => process.exit()));
