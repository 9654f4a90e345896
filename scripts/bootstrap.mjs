// Brings a fresh clone to the point where one command can run: `node scripts/bootstrap.mjs <command>`.
// Only Node's own modules, because this is what runs before anything is installed. Called from the scripts
// of package.json by `&&` and not as npm's pre-scripts: those are silently left out wherever
// `ignore-scripts` is set, and here it is.
import { buildBenchmarks, buildLibrary, buildPrograms } from './bootstrap/builds.mjs';
import { buildJavaPrograms, fetchZooKeeper, installJava } from './bootstrap/java.mjs';
import { buildEtcd, buildGoPrograms } from './bootstrap/go.mjs';
import { fetchMysql, fetchValkey } from './bootstrap/fetched-servers.mjs';
import { checkNodeVersion } from './bootstrap/node-version.mjs';
import {
  installComparedLibraries,
  installOrms,
  installPackages,
  installSite,
} from './bootstrap/packages.mjs';
import { generatePrismaClients } from './bootstrap/prisma.mjs';
import { say } from './bootstrap/run.mjs';
import { installServers } from './bootstrap/servers.mjs';

const basics = [checkNodeVersion, installPackages];
const programs = [buildLibrary, buildPrograms];
const benchmarks = [buildLibrary, installComparedLibraries, buildBenchmarks];
const java = [installJava, buildJavaPrograms];

/** What each command needs, in this order. A new kind of preparation is a new step here. */
const commands = {
  test: [...basics, installServers, ...programs],
  'valkey-matrix': [...basics, fetchValkey, ...programs],
  'mysql-matrix': [...basics, fetchMysql, ...programs],
  orms: [...basics, installServers, installOrms, generatePrismaClients],
  'zookeeper-matrix': [...basics, installJava, fetchZooKeeper, ...programs],
  'etcd-matrix': [...basics, installServers, buildEtcd, buildGoPrograms, ...programs],
  build: [...basics, buildLibrary],
  start: [...basics, ...programs],
  demo: [...basics, installServers, ...programs],
  sim: [...basics, ...programs],
  bench: [...basics, installServers, ...benchmarks, ...java, buildGoPrograms],
  'bench-page': [...basics, ...benchmarks],
  interop: [...basics, installServers, ...programs, ...java, buildGoPrograms],
  docs: [checkNodeVersion, installSite],
  check: [...basics, installComparedLibraries, installSite],
  everything: [...basics, ...programs, installComparedLibraries, buildBenchmarks],
};

const steps = Object.entries(commands).find(([name]) => name === process.argv[2])?.[1];
try {
  if (!steps) throw new Error(`expected one of ${Object.keys(commands).join(', ')}`);
  for (const step of steps) step();
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
