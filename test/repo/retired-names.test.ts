import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const src = fileURLToPath(new URL('../../src', import.meta.url));
const glossary = readFileSync(new URL('../../docs/glossary.md', import.meta.url), 'utf8');

/** Identifiers that are gone, by the word of the glossary that took their place: one word for each meaning. */
const RETIRED: Readonly<Record<string, readonly string[]>> = {
  LeaseKeeper: ['Keeper'],
  Holdable: ['LockResource', 'Resource'],
  PendingAcquire: ['Candidate', 'Admission'],
  acquireGrant: ['admitSoon'],
  acquireByWaiting: ['admitAs'],
  YieldToOthers: ['StandBack', 'standBack', 'TableCourtesy'],
  HoldStack: ['Tenure', 'tenure'],
  LossListener: ['Bearer'],
  Sleeper: ['Bell', 'bell'],
  TimerQueue: ['Agenda', 'agenda'],
  TimerTask: ['Appointment', 'appointment'],
  UnrenewedGrants: ['FreshGrants'],
  PendingAnswer: ['Coming'],
  Pending: ['Later'],
  MaybeAsync: ['Eventually'],
  mapAnswer: ['whenSettled'],
  ProtocolTraits: ['HoldingLayout', 'Punctual'],
  isSubscribed: ['hears'],
  sawOtherHolder: ['othersHad'],
  batchesWaiters: ['placesAreShared'],
  clientEndsLeases: ['leasesEndHere'],
  survivesClose: ['leasesOutliveClient'],
  BatchedTicket: ['SharedPlace'],
  ChangeFeed: ['MysqlSignals', 'PostgresSignals', 'SqliteSignals'],
  MachineQueue: ['Doorway'],
  EndSocket: ['Bellpull', 'QueueSocket', 'LifeLine', 'LivenessSocket'],
  QueueTicket: ['PlaceAtDoor'],
  ClientLiveness: ['Life'],
  DeadClients: ['Deaths'],
  LivenessFile: ['AliveFile'],
  WaitQueues: ['LocalLines'],
  LocalQueue: ['LocalLine'],
  WaiterCounts: ['LocalWaiters'],
  Resubscriber: ['RoamingSubscriber'],
  SubscriptionConnection: ['MessageLink'],
  SubscriptionRouting: ['MessagePlaces'],
  NodeRedisConnections: ['NodeRedisLines'],
  DedupState: ['Remembering'],
  'shift-deadlines': ['rebase'],
  'document-cache': ['LastSeen'],
  'request-timeouts': ['EqualDeadlines'],
  'reliable-cells': ['RemoteCells'],
  'optimistic-cells': ['DocumentWire'],
  ScriptCall: ['Prepared'],
  ceilMs: ['wholeMs'],
  escapeGlob: ['literalPattern'],
  RedisContext: ['RedisParts'],
  RowPoller: ['RowWatch'],
  AcquireTerms: ['Terms'],
  WaitLimit: ['Patience'],
  Command: ['Doing', 'doings'],
  output: ['speech'],
  Poller: ['Nudge'],
  withTimeout: ['endWithin'],
  StallDetector: ['Standstill'],
};

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));

/** The code of a file: comments and texts may use any word. */
function codeOf(path: string): string {
  return readFileSync(join(src, path), 'utf8')
    .replaceAll(/\/\*[^]*?\*\/|\/\/.*$/gm, '')
    .replaceAll(/'(?:[^'\\\n]|\\.)*'/g, "''");
}

test('no identifier of src/ has a retired name', () => {
  const retired = new RegExp(`\\b(?:${Object.values(RETIRED).flat().join('|')})\\b`, 'g');
  expect(
    files.flatMap((path) => (codeOf(path).match(retired) ?? []).map((name) => `${path}: ${name}`)),
  ).toEqual([]);
});

test('the glossary has each word that took the place of another', () => {
  expect(
    Object.keys(RETIRED).filter((word) => !new RegExp(`\\*\\*\`?${word}\`?\\*\\*`).test(glossary)),
  ).toEqual([]);
});

test('the glossary has each word once', () => {
  const words = [...glossary.matchAll(/^\| \*\*`?([^*`]+)`?\*\*/gm)].map(([, word = '']) => word);
  expect(words.length).toBeGreaterThan(80);
  expect(words.filter((word, at) => words.indexOf(word) !== at)).toEqual([]);
});
