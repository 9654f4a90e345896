import type { Finding } from '../../../spi/engine/finding.ts';
import type { ZooKeeperServer } from '../client/session/server-list.ts';
import type { ServerAnswer } from './ask-server.ts';

/** One server of the address, and what it said to `srvr`. */
export interface SeenServer {
  readonly server: ZooKeeperServer;
  readonly said: ServerAnswer;
}

/** The lowest version with recursive watches, which the inspector and the documents need. */
const LEAST = [3, 6] as const;
/** From this number of elections on a fence would be above 2^53: see decision 26. */
const MOST_ELECTIONS = 32_768;
const MANY_OUTSTANDING = 1000;

/** Which servers answer at all. One that is silent is no reason to fail while a majority serves. */
export function reachableFinding(seen: readonly SeenServer[]): Finding {
  const about = 'reachable';
  const silent = seen.filter(({ said }) => said.kind === 'silent');
  const found = `${seen.length - silent.length} of ${seen.length} servers answer`;
  if (silent.length === 0) return { level: 'good', about, found };
  const why = silent.map(({ server, said }) => `${named(server)}: ${said.kind === 'silent' ? said.why : ''}`);
  return {
    level: 'note',
    about,
    found: `${found} (${why.join('; ')})`,
    advice:
      'Locks keep working while a majority of the ensemble answers. Start the others, or remove them from the address.',
  };
}

/** The version and the part of each server that tells. */
export function* serverFindings(seen: readonly SeenServer[]): Generator<Finding, void, undefined> {
  for (const { server, said } of seen) {
    if (said.kind !== 'answer') continue;
    const version = /version: (\d+)\.(\d+)(\S*?)[-,\s]/.exec(said.text);
    if (version !== null) yield versionFinding(server, version);
    const outstanding = Number(/Outstanding: (\d+)/.exec(said.text)?.[1] ?? 0);
    if (outstanding > MANY_OUTSTANDING)
      yield {
        level: 'note',
        about: 'load',
        found: `${named(server)} has ${outstanding} requests outstanding: locks are granted as late as these are answered`,
      };
  }
}

function versionFinding(server: ZooKeeperServer, [, major, minor, rest]: RegExpExecArray): Finding {
  const found = `${named(server)} is ZooKeeper ${major}.${minor}${rest}`;
  const isNewEnough = Number(major) > LEAST[0] || (Number(major) === LEAST[0] && Number(minor) >= LEAST[1]);
  if (isNewEnough) return { level: 'good', about: 'version', found };
  return {
    level: 'bad',
    about: 'version',
    found,
    advice: 'Use 3.6 or newer: waiters of a latch, a barrier and a monitor need its watches.',
  };
}

/**
 * The ensemble: `members` is how many vote, by the configuration that the servers themselves keep as a node; undefined where that
 * cannot be read.
 */
export function ensembleFinding(seen: readonly SeenServer[], members: number | undefined): Finding {
  const about = 'ensemble';
  const modes = seen.flatMap(({ said }) =>
    said.kind === 'answer' ? (/Mode: (\S+)/.exec(said.text)?.[1] ?? []) : [],
  );
  if (modes.includes('standalone') || members === 0)
    return {
      level: 'note',
      about,
      found: 'one server: while it is down no lock is granted, and holds are lost after their session time',
      advice: 'Three servers tolerate the loss of one, five the loss of two.',
    };
  const told = modes.length === 0 ? '' : `: ${modes.toSorted().toReversed().join(', ')}`;
  const size = members === undefined ? `${seen.length} servers` : `${members} voting servers`;
  const isWhole = seen.length === members && modes.length === seen.length;
  if (isWhole && !modes.includes('leader'))
    return {
      level: 'bad',
      about,
      found: `${size}${told}: there is no leader`,
      advice: 'An election may be under way. If it does not end, see the logs of the servers.',
    };
  if (members !== undefined && members % 2 === 0)
    return {
      level: 'note',
      about,
      found: `${size}${told}: an even number tolerates no more failures than one server fewer`,
    };
  if (members !== undefined && seen.length < members)
    return {
      level: 'note',
      about,
      found: `${size}, of which the address names ${seen.length}${told}`,
      advice: 'Name all of them: the client moves only to servers that the address names.',
    };
  return { level: 'good', about, found: `${size}${told}` };
}

/** Whether the followers keep up, by what a leader says to `mntr`. Undefined where none may answer that. */
export function followersFinding(said: readonly ServerAnswer[]): Finding | undefined {
  for (const answer of said) {
    const text = answer.kind === 'answer' ? answer.text : '';
    const count = (name: string) => Number(new RegExp(`^zk_${name}\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0);
    if (!/^zk_server_state\s+leader/m.test(text)) continue;
    const [inStep, all] = [count('synced_followers') + count('synced_observers'), count('learners')];
    const found = `${inStep} of ${all} are in step with the leader`;
    if (inStep >= all) return { level: 'good', about: 'followers', found };
    return {
      level: 'note',
      about: 'followers',
      found,
      advice:
        'Clients of a late follower learn of a release as late as it does. A follower that has just started catches up by itself.',
    };
  }
  return undefined;
}

/** How many elections are left until fences would repeat. Undefined where no server tells its number. */
export function fenceFinding(seen: readonly SeenServer[]): Finding | undefined {
  const numbers = seen.flatMap(({ said }) =>
    said.kind === 'answer' ? (/Zxid: 0x([0-9a-f]+)/.exec(said.text)?.[1] ?? []) : [],
  );
  if (numbers.length === 0) return undefined;
  const elections = Math.max(...numbers.map((hex) => Number(BigInt(`0x${hex}`) >> 32n)));
  const about = 'fences';
  const found = `${elections} elections so far, of ${MOST_ELECTIONS} that a fence has room for`;
  if (elections < MOST_ELECTIONS / 2) return { level: 'good', about, found };
  return {
    level: elections < MOST_ELECTIONS ? 'note' : 'bad',
    about,
    found,
    advice: 'Plan a new ensemble: at the limit every acquisition is refused.',
  };
}

function named({ host, port }: ZooKeeperServer): string {
  return `${host}:${port}`;
}
