// `npm run bench:redisson -- [--scenario NAME] [--quick]`: Redisson itself beside Holdfast, on one server.
import { parseArgs } from 'node:util';
import { aligned } from './aligned.ts';
import { runInterleaved } from './run-interleaved.ts';
import { javaIsBuilt } from './jvm.ts';
import { load, machine } from './machine.ts';
import { planOf } from './plan.ts';
import { clientNames } from './redis/connections.ts';
import { startRedis } from './redis/server.ts';
import { type Contest, contests, type Fleet } from './redisson/contest.ts';
import { javaFleet, javaStyles } from './redisson/java-fleet.ts';
import { nodeFleet } from './redisson/node-fleet.ts';
import { median, ratio, spread } from './statistics.ts';

const { values: options } = parseArgs({
  options: { scenario: { type: 'string', default: '' }, quick: { type: 'boolean', default: false } },
});
const plan = options.quick
  ? planOf({ rounds: 3, warmUpRounds: 2, roundMs: 700 })
  : planOf({ rounds: 9, warmUpRounds: 3, roundMs: 1500 });
/** Until Java's compiler has seen enough of the work. */
const JAVA_WARMS_UP_MS = options.quick ? 2000 : 20_000;

if (javaIsBuilt('redisson-4')) await measureAll();
else console.log('The Java programs are not built: a JDK and Maven are needed.');

async function measureAll(): Promise<void> {
  const { node, cores, cpu } = machine();
  console.log(`Node ${node}, ${cores} x ${cpu}\n`);
  for (const contest of contests) if (contest.name.includes(options.scenario)) await measure(contest);
}

async function measure(contest: Contest): Promise<void> {
  const server = await startRedis();
  const loadBefore = load();
  const series: { name: string; fleet: Fleet; perSecond: number[] }[] = [];
  try {
    for (const style of javaStyles) {
      const fleet = await javaFleet(server.port, contest, style);
      series.push({ name: style.name, fleet, perSecond: [] });
      await fleet.round(JAVA_WARMS_UP_MS);
    }
    for (const client of clientNames) {
      const fleet = await nodeFleet(server.port, contest, client);
      series.push({ name: `holdfast (${client})`, fleet, perSecond: [] });
    }
    await runInterleaved(series, plan, async ({ fleet, perSecond }, counts) => {
      const pairs = await fleet.round(plan.roundMs);
      if (counts) perSecond.push((pairs / plan.roundMs) * 1000);
    });
  } finally {
    for (const { fleet } of series) await fleet.close();
    await server.stop();
  }
  const java = series[0]?.perSecond ?? [];
  const rows = series.map(({ name, perSecond }) => [
    name,
    Math.round(median(perSecond)).toLocaleString('en'),
    `${(spread(perSecond) * 100).toFixed(0)} %`,
    ratio(perSecond, java).toFixed(2),
  ]);
  console.log(contest.name);
  console.log(aligned([['', 'pairs/s', 'spread', `to ${javaStyles[0]?.name}`], ...rows]).join('\n'));
  console.log(`  load average ${loadBefore.toFixed(2)} before, ${load().toFixed(2)} after\n`);
}
