import { relative, sep } from 'node:path';
import { compiled } from './entries.mjs';

/**
 * Which modules lie in one file, and under what name. A module that several of them need is in the first. A file for each module
 * cost 4 KB of disk for each of them, and a millisecond or two at the start of a program. One file for all of them would load
 * every engine for each program.
 * @type {readonly [name: string, modules: RegExp][]}
 */
const chunks = [
  // Alone, so that a bundler keeps nothing else of a program that only tells errors apart.
  ['errors', /^spi\/errors$/],
  [
    'core',
    /^(?!kernels\/lines\/|kernels\/cells\/clockless|rules\/line$|core\/pushed-session$)(?:core|kernels|rules|spi|synchronizers)\//,
  ],
  ['lines', /^(?:core|kernels|rules)\//],
  ['sql', /^engines\/sql\/(?!clients|native)/],
  ['sql-clients', /^engines\/sql\//],
  ['memory-engine', /^engines\/memory\//],
  ['sqlite-engine', /^engines\/sqlite\/(?!machine-queue|check-up)/],
  ['redis-engine', /^engines\/redis\/(?!diagnostics)/],
  ['postgres-engine', /^engines\/postgres\/(?!check-up)/],
  ['mysql-engine', /^engines\/mysql\/(?!check-up)/],
  ['zookeeper-engine', /^engines\/zookeeper\/(?!diagnostics)/],
  ['etcd-engine', /^engines\/etcd\/(?!diagnostics)/],
  ['telemetry', /^integrations\/telemetry\//],
  ['routes', /^integrations\/routes\//],
  ['connect', /^index$/],
  // `holdfast run` stands in front of other programs, and its users feel its start: it loads none of the other commands.
  ['cli/run', /^cli\/(?:commands\/(?:run|specs)\/|output\/|(?:commands\/)?(?!help|version)[a-z-]+$)/],
  ['cli/commands', /^cli\/(?!commands\/doctor)/],
  ['cli/doctor', /^cli\/|^engines\/\w+\/(?:diagnostics\/)?[a-z-]+$/],
];

/** Rolldown's form of it. */
export const groups = chunks.map(([name], at) => ({
  name,
  test: (/** @type {string} */ id) => chunkOf(id) === name,
  priority: chunks.length - at,
}));

/** @param {string} id */
function chunkOf(id) {
  const path = relative(compiled, id).split(sep).join('/').replace(/\.js$/, '');
  return chunks.find(([, modules]) => modules.test(path))?.[0];
}
