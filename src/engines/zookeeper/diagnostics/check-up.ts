import { systemClock, systemRandom } from '../../../core/time/clock.ts';
import type { Finding } from '../../../spi/engine/finding.ts';
import { parseConnectionString } from '../client/session/server-list.ts';
import {
  USUAL_SESSION_MS,
  ZooKeeperClient,
  type ZooKeeperClientOptions,
} from '../client/zookeeper-client.ts';
import { explainError, hasCode } from '../explain-error.ts';
import { parseZooKeeperAddress } from '../zookeeper-address.ts';
import { askServer, type ServerAnswer, type ServerWord } from './ask-server.ts';
import {
  ensembleFinding,
  fenceFinding,
  followersFinding,
  reachableFinding,
  serverFindings,
} from './ensemble-findings.ts';

const CONNECT_MS = 5_000;
/** What no server grants: each answers with its limit. */
const TOO_SHORT_MS = 1;
const TOO_LONG_MS = 2 ** 31 - 1;
const CONFIGURATION = '/zookeeper/config';

/** Checks whether a ZooKeeper is fit for locks. Asks, opens sessions, and changes nothing. It needs no clock: sessions have none. */
export async function* checkUp(url: string): AsyncGenerator<Finding, void, undefined> {
  const { servers: address, tls, sessionMs = USUAL_SESSION_MS, auth, sasl } = parseZooKeeperAddress(url);
  const { servers, chroot } = parseConnectionString(address);
  const askAll = (word: ServerWord) => Promise.all(servers.map((server) => askServer(server, word, tls)));
  const said = await askAll('srvr');
  const seen = servers.map((server, at) => ({ server, said: said[at]! }));
  const connection = {
    servers: chroot === '' ? address : address.slice(0, address.indexOf('/')),
    connectMs: CONNECT_MS,
    ...(tls && { tls }),
    ...(auth && { auth }),
    ...(sasl && { sasl }),
  };
  // Without a session there is nothing to examine: that is an error, and no finding.
  const limits = {
    least: await grantedMs(connection, TOO_SHORT_MS),
    most: await grantedMs(connection, TOO_LONG_MS),
  };
  const client = openClient(connection, sessionMs);
  try {
    yield reachableFinding(seen);
    yield* serverFindings(seen);
    yield ensembleFinding(seen, await countMembers(client));
    const followers = followersFinding(await askAll('mntr'));
    if (followers !== undefined) yield followers;
    yield sessionFinding(sessionMs, limits);
    const tickMs = longestTickMs(await askAll('conf'));
    if (2 * tickMs > limits.least) yield tickFinding(tickMs, limits.least);
    const fences = fenceFinding(seen);
    if (fences !== undefined) yield fences;
    yield await identityFinding(client);
    if (chroot !== '') yield await chrootFinding(client, chroot);
  } finally {
    await client.close();
  }
}

function openClient(connection: Omit<ZooKeeperClientOptions, 'clock' | 'random'>, sessionMs: number) {
  return new ZooKeeperClient({ ...connection, sessionMs, clock: systemClock, random: systemRandom });
}

async function grantedMs(
  connection: Omit<ZooKeeperClientOptions, 'clock' | 'random'>,
  sessionMs: number,
): Promise<number> {
  const client = openClient(connection, sessionMs);
  try {
    return (await client.ready()).grantedMs;
  } catch (error) {
    // The race: the shortest session may be over before its first answer. What was granted is known all the same.
    const isOver = hasCode(error, 'SESSION_EXPIRED') || hasCode(error, 'CONNECTION_LOSS');
    if (client.session && isOver) return client.session.grantedMs;
    throw explainError(error, { resource: 'doctor', engine: 'zookeeper' });
  } finally {
    await client.close();
  }
}

/** By the node in which servers keep their own configuration: empty for one that is alone. */
async function countMembers(client: ZooKeeperClient): Promise<number | undefined> {
  try {
    const text = (await client.getData(CONFIGURATION)).data.toString('utf8');
    return [...text.matchAll(/^server\.\d+=(.*)$/gm)].filter(([, one]) => !one!.includes(':observer')).length;
  } catch (error) {
    if (hasCode(error, 'NO_NODE') || hasCode(error, 'NO_AUTH')) return undefined;
    throw error;
  }
}

function sessionFinding(asked: number, { least, most }: { least: number; most: number }): Finding {
  const about = 'session';
  const found = `of ${asked} ms asked for; the servers grant ${least} to ${most} ms`;
  if (asked >= least && asked <= most) return { level: 'good', about, found };
  return {
    level: 'note',
    about,
    found,
    advice: `Holds last ${Math.min(Math.max(asked, least), most)} ms after the last sign of life. Ask for that (sessionMs), or change minSessionTimeout and maxSessionTimeout.`,
  };
}

/** 0 where no server may tell. */
function longestTickMs(said: readonly ServerAnswer[]): number {
  const ticks = said.map((answer) =>
    answer.kind === 'answer' ? Number(/tickTime=(\d+)/.exec(answer.text)?.[1] ?? 0) : 0,
  );
  return Math.max(...ticks);
}

/** Half a tick must be no more than a quarter of the session: the proof that it lives is built on it (decision 27). */
function tickFinding(tickMs: number, leastMs: number): Finding {
  return {
    level: 'bad',
    about: 'tick',
    found: `of ${tickMs} ms, and minSessionTimeout is ${leastMs} ms, below two ticks: a client of a follower that is cut off can learn of a loss too late`,
    advice: `Set minSessionTimeout to ${2 * tickMs} or more, or tickTime to ${Math.floor(leastMs / 2)} or less.`,
  };
}

async function identityFinding(client: ZooKeeperClient): Promise<Finding> {
  const about = 'identity';
  try {
    const known = (await client.whoAmI()).filter(({ scheme }) => scheme !== 'ip');
    if (known.length > 0)
      return { level: 'good', about, found: known.map(({ scheme, id }) => `${scheme}:${id}`).join(', ') };
    return {
      level: 'note',
      about,
      found: 'none: the servers know only the address of this client, and nodes are open to all',
      advice: 'docs/engines/zookeeper.md has a recipe for credentials and access lists.',
    };
  } catch (error) {
    if (hasCode(error, 'UNIMPLEMENTED') || hasCode(error, 'CONNECTION_LOSS'))
      return { level: 'note', about, found: 'not shown: servers report it since 3.7' };
    throw error;
  }
}

async function chrootFinding(client: ZooKeeperClient, chroot: string): Promise<Finding> {
  const about = 'chroot';
  if ((await client.exists(chroot)) !== undefined) return { level: 'good', about, found: `${chroot} exists` };
  return {
    level: 'bad',
    about,
    found: `${chroot} does not exist`,
    advice: 'Create it with zkCli.sh: no client does.',
  };
}
