// `npm run bench:profile -- --engine NAME --scenario NAME --contestant NAME`: where the time of one contestant goes.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { aligned } from './aligned.ts';
import { chosenOf } from './chosen.ts';
import { FreshGrounds } from './grounds.ts';
import type { CpuProfile } from './profile/cpu-profile.ts';
import { type HotSpot, hotSpotsOf } from './profile/hot-spots.ts';
import { measureTrial } from './trial-runner.ts';
import { trials } from './trials.ts';

const MOST_FUNCTIONS = 15;

const { values: options } = parseArgs({
  options: {
    scenario: { type: 'string', default: '' },
    engine: { type: 'string', default: '' },
    contestant: { type: 'string', default: 'holdfast' },
  },
});
const [trial] = chosenOf(trials, options.scenario, options.engine);
const contestant = trial?.contestants.find(({ name }) => name.includes(options.contestant));
if (trial === undefined || contestant === undefined)
  throw new RangeError('no contestant of that name takes part');

const folder = mkdtempSync(join(tmpdir(), 'holdfast-profile-'));
try {
  // Profiles each forked process, with all that it forks: each writes its profile when it ends.
  process.execArgv.push('--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=200');
  const { crashed } = await measureTrial(trial, [contestant.name], 'full', new FreshGrounds());
  if (crashed[0] !== undefined) throw new Error(`${contestant.name} crashed: ${crashed[0].why}`);
  const profiles = readdirSync(folder).map(
    (file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as CpuProfile,
  );
  const { workedMs, origins, functions } = hotSpotsOf(profiles);
  console.log(`${trial.name} (${trial.engine}), ${contestant.name}: ${Math.round(workedMs)} ms of work`);
  console.log(rowsOf(origins).join('\n'));
  console.log(`the ${MOST_FUNCTIONS} functions that took most of it by themselves`);
  console.log(rowsOf(functions.slice(0, MOST_FUNCTIONS)).join('\n'));
} finally {
  rmSync(folder, { recursive: true });
}

function rowsOf(spots: readonly HotSpot[]): string[] {
  return aligned(spots.map(({ where, share }) => [where, `${(share * 100).toFixed(1)} %`]));
}
