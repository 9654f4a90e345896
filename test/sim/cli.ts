import { parseArgs } from 'node:util';
import { replayCommand, summary } from './report.ts';
import { KINDS, runSeed } from './run-seed.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '2000' },
    from: { type: 'string', default: '0' },
    seed: { type: 'string' },
    kind: { type: 'string' },
    plant: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  console.log(`npm run sim -- [--seeds N] [--from N] [--seed N] [--kind ${KINDS.join('|')}] [--plant NAME]
  --seeds N   run N seeds (2000), from --from on
  --seed N    replay one seed and print its trace
  --plant X   take something out of the library and see the checkers notice (see test/sim/plant.ts)`);
} else if (values.seed !== undefined) {
  const result = await runSeed(Number(values.seed), { ...given(), keepTrace: true });
  for (const line of result.trace) console.log(line);
  console.log(
    `\nseed ${result.seed} (${result.kind}) hash ${result.hash}: ${result.problems.length} problems`,
  );
  for (const problem of result.problems) console.log(`  ${problem}`);
  process.exitCode = result.problems.length > 0 ? 1 : 0;
} else {
  await many(Number(values.from), Number(values.seeds));
}

function given(): { kind?: string; plant?: string } {
  return {
    ...(values.kind !== undefined && { kind: values.kind }),
    ...(values.plant !== undefined && { plant: values.plant }),
  };
}

async function many(from: number, count: number): Promise<void> {
  const counts = new Map<string, number>();
  let red = 0;
  for (let seed = from; seed < from + count; seed++) {
    const result = await runSeed(seed, given());
    for (const [what, often] of result.counts) counts.set(what, (counts.get(what) ?? 0) + often);
    if (result.problems.length > 0) {
      red++;
      console.log(
        `seed ${seed} (${result.kind}) is red: ${result.problems[0]}\n  ${replayCommand(seed, given())}`,
      );
    }
    if ((seed - from + 1) % 1000 === 0) console.error(`${seed - from + 1} of ${count} seeds, ${red} red`);
  }
  console.log(`${summary(counts)}\n${count} seeds, ${red} red`);
  process.exitCode = red > 0 ? 1 : 0;
}
