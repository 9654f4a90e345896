import { systemClock, systemRandom } from '../../../core/time/clock.ts';
import type { Finding } from '../../../spi/engine/finding.ts';
import { etcdCalls } from '../client/messages/etcd-messages.generated.ts';
import { EtcdClient } from '../client/session/etcd-client.ts';
import { type EtcdEndpoint, parseEndpoints } from '../client/transport/endpoints.ts';
import { parseEtcdAddress } from '../etcd-address.ts';
import { USUAL_SESSION_MS } from '../etcd-options.ts';
import { explainEtcdError } from '../explain-etcd-error.ts';
import { HEARTBEAT_KEY } from '../layout/etcd-keys.ts';

const CONNECT_MS = 5_000;
const CALL_MS = 3_000;
const FIRST_TO_IGNORE_OLD_LEADERS: Readonly<Record<string, number>> = { '3.4': 31, '3.5': 13 };

/** Checks whether an etcd is fit for locks. Asks, opens a lease, and changes nothing. */
export async function* checkUp(url: string): AsyncGenerator<Finding, void, undefined> {
  const { endpoints: address, tls, auth, sessionMs = USUAL_SESSION_MS } = parseEtcdAddress(url);
  const endpoints = parseEndpoints(address);
  const openAt = (members: readonly EtcdEndpoint[]) =>
    new EtcdClient({
      endpoints: members,
      tls,
      user: auth,
      leaseSeconds: Math.ceil(sessionMs / 1000),
      connectMs: CONNECT_MS,
      callMs: CALL_MS,
      readKey: Buffer.from(HEARTBEAT_KEY),
      clock: systemClock,
      random: systemRandom,
    });
  const client = openAt(endpoints);
  try {
    // Without a lease there is nothing to examine: that is an error, and no finding.
    const { requestedMs, grantedMs } = await client.ready();
    for (const endpoint of endpoints) yield* memberFindings(endpoint, openAt([endpoint]));
    yield membersFinding(endpoints.length);
    yield leaseFinding(requestedMs, grantedMs);
    yield userFinding(auth?.user);
  } catch (error) {
    throw explainEtcdError(error, { resource: 'doctor', engine: 'etcd' });
  } finally {
    await client.close();
  }
}

/** Whether a member answers, has a leader, and room for more. */
async function* memberFindings(
  { host, port }: EtcdEndpoint,
  client: EtcdClient,
): AsyncGenerator<Finding, void, undefined> {
  const about = `${host}:${port}`;
  try {
    const { version, leader, errors } = await client.call(etcdCalls.status, {}, CALL_MS);
    if (leader === 0n)
      yield {
        level: 'bad',
        about,
        found: `etcd ${version} has no leader.`,
        advice: 'A majority of the members has to reach one another.',
      };
    else yield { level: 'good', about, found: `etcd ${version} has a leader.` };
    if (!ignoresOldLeaders(version))
      yield {
        level: 'note',
        about,
        found: `etcd ${version} ends leases as a leader that was replaced while it hung in a write to its disk.`,
        advice: 'Take 3.4.31, 3.5.13 or a later one: a lease may end there although its client is alive.',
      };
    for (const error of errors)
      yield {
        level: 'bad',
        about,
        found: `It reports "${error}".`,
        advice: error.includes('NOSPACE')
          ? 'The database has reached its quota, and no lock is granted: compact and defragment it, and disarm the alarm.'
          : 'Look into the log of the member.',
      };
  } catch (error) {
    const found = `It does not answer: ${error instanceof Error ? error.message : String(error)}.`;
    yield { level: 'bad', about, found, advice: 'Start it, or take it out of the address.' };
  } finally {
    await client.close();
  }
}

/**
 * Whether a leader asks the others before it ends a lease (etcd-io/etcd#15247). A heartbeat cannot make up for that: the lease goes while
 * the client keeps it alive at the new leader.
 */
function ignoresOldLeaders(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
  const first = FIRST_TO_IGNORE_OLD_LEADERS[`${major}.${minor}`];
  if (first !== undefined) return patch >= first;
  return major > 3 || (major === 3 && minor > 5);
}

function membersFinding(count: number): Finding {
  if (count > 1) return { level: 'good', about: 'members', found: `The address names ${count} members.` };
  return {
    level: 'note',
    about: 'members',
    found: 'The address names one member.',
    advice: 'A client goes on at another member of the address only: name all.',
  };
}

function leaseFinding(requestedMs: number, grantedMs: number): Finding {
  const about = 'lease';
  if (requestedMs === grantedMs) return { level: 'good', about, found: `It grants ${grantedMs} ms.` };
  return {
    level: 'note',
    about,
    found: `It grants ${grantedMs} ms instead of ${requestedMs} ms.`,
    advice: 'Set sessionMs to what it grants, or shorten the election time-out of the members.',
  };
}

function userFinding(user: string | undefined): Finding {
  if (user !== undefined) return { level: 'good', about: 'user', found: `The client is ${user}.` };
  return {
    level: 'note',
    about: 'user',
    found: 'The client has no user: every program that reaches the port may take any lock.',
    advice: 'Switch users on, and grant a role as the page of the engine shows.',
  };
}
