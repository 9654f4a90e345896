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
    const lease = await leaseFinding(client);
    const members = await Promise.all(
      endpoints.map((endpoint) => examineMember(endpoint, openAt([endpoint]))),
    );
    // Where no member answers there is nothing to examine: that is an error, and no finding.
    if (lease.refusal !== undefined && !members.some(({ answers }) => answers)) throw lease.refusal;
    for (const { findings } of members) yield* findings;
    yield membersFinding(endpoints.length);
    yield lease.finding;
    yield userFinding(auth?.user);
  } finally {
    await client.close();
  }
}

/** Whether a member answers, has a leader, and room for more. */
async function examineMember(
  { host, port }: EtcdEndpoint,
  client: EtcdClient,
): Promise<{ readonly answers: boolean; readonly findings: readonly Finding[] }> {
  const about = `${host}:${port}`;
  try {
    return { answers: true, findings: findingsIn(await client.call(etcdCalls.status, {}, CALL_MS), about) };
  } catch (error) {
    const found = `It does not answer: ${error instanceof Error ? error.message : String(error)}.`;
    const advice = 'Start it, or take it out of the address.';
    return { answers: false, findings: [{ level: 'bad', about, found, advice }] };
  } finally {
    await client.close();
  }
}

/** What a member says about itself. */
interface MemberStatus {
  readonly version: string;
  readonly leader: bigint;
  readonly errors: readonly string[];
}

function findingsIn({ version, leader, errors }: MemberStatus, about: string): readonly Finding[] {
  const findings: Finding[] = [];
  if (leader === 0n)
    findings.push({
      level: 'bad',
      about,
      found: `etcd ${version} has no leader.`,
      advice: 'A majority of the members has to reach one another.',
    });
  else findings.push({ level: 'good', about, found: `etcd ${version} has a leader.` });
  if (!ignoresOldLeaders(version))
    findings.push({
      level: 'note',
      about,
      found: `etcd ${version} ends leases as a leader that was replaced while it hung in a write to its disk.`,
      advice: 'Take 3.4.31, 3.5.13 or a later one: a lease may end there although its client is alive.',
    });
  for (const error of errors)
    findings.push({
      level: 'bad',
      about,
      found: `It reports "${error}".`,
      advice: error.includes('NOSPACE')
        ? 'The database has reached its quota, and no lock is granted: compact and defragment it, and disarm the alarm.'
        : 'Look into the log of the member.',
    });
  return findings;
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

/** What lease the store grants. A database without room grants none, and neither do members without a leader. */
async function leaseFinding(
  client: EtcdClient,
): Promise<{ readonly finding: Finding; readonly refusal?: unknown }> {
  const about = 'lease';
  try {
    const { requestedMs, grantedMs } = await client.ready();
    if (requestedMs === grantedMs)
      return { finding: { level: 'good', about, found: `It grants ${grantedMs} ms.` } };
    const found = `It grants ${grantedMs} ms instead of ${requestedMs} ms.`;
    const advice = 'Set sessionMs to what it grants, or shorten the election time-out of the members.';
    return { finding: { level: 'note', about, found, advice } };
  } catch (error) {
    const refusal = explainEtcdError(error, { resource: 'doctor', engine: 'etcd' });
    const found = `It grants none: ${refusal instanceof Error ? refusal.message : String(refusal)}`;
    return { finding: { level: 'bad', about, found, advice: 'A finding above may say why.' }, refusal };
  }
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
