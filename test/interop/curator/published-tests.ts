import { at, not, type PublishedTests } from '../published.ts';

const holds = at('test/interop/curator/hold-cells.ts');
const reentries = at('test/interop/curator/reentry-cells.ts');
const lines = at('test/interop/curator/line-cells.ts');
const downgrades = at('test/interop/curator/downgrade-cells.ts');
const permits = at('test/interop/curator/semaphore-cells.ts');
const elections = at('test/interop/curator/election-cells.ts');
const counts = at('test/interop/curator/count-cells.ts');
const revocations = at('test/interop/curator/revocation-cells.ts');
const accesses = at('test/interop/curator/access-cells.ts');
const ends = at('test/interop/curator/end-cells.ts');
const leaders = at('test/interop/curator/leader-cells.ts');
const fleet = at('test/interop/curator/mixed-fleet.interop.ts');
const suite = (file: string, title: string) => at(`src/testing/${file}.ts`)(title);
const kernel = (file: string, title: string) => at(`test/kernels/lines/${file}.test.ts`)(title);
const client = (file: string, title: string) => at(`test/engines/zookeeper/client/${file}.test.ts`)(title);
const engine = (file: string, title: string) => at(`test/engines/zookeeper/engine/${file}.test.ts`)(title);

const CROWDS = holds('three of each side, again and again: never two at once, and each acquires');
const FLEET = fleet('$kind: 2,000 increments without a guard, none lost or done twice, and fences increase');
const KILLED = [
  ...ends('a JVM that is killed: Node acquires when its session is over, and not before'),
  ...ends('a Node process that is killed: Java acquires when its session is over, and not before'),
];
const STOPPED = [
  ...ends(
    'a JVM that stands still for longer than its session: Node holds, and what Java does afterwards takes nothing away',
  ),
  ...ends(
    'a Node process that stands still for longer than its session: Java holds, and Node learns of it first of all',
  ),
];
const GIVEN_UP = lines('waiters of both sides that give up leave the line, and those behind them acquire');
const CONTAINER = engine(
  'layout',
  'a lock is an InterProcessMutex, and its folder a container that goes when it is empty',
);
const REAPED = engine(
  'reaped-folder',
  'a folder that the server removes before the ticket is made is made again',
);
const SERVER_KILLED = client(
  'ensemble',
  'the session goes on at another server when its own is killed, and its nodes with it',
);
const HELD_WITHOUT_LEADER = [
  ...leaders('Java holds, Node waits: all keep their position, and Node is in when Java releases'),
  ...leaders('Node holds, Java waits: all keep their position, and Java is in when Node releases'),
];
const LED_WITHOUT_LEADER = [
  ...leaders(
    'a LeaderLatch leads, Node is a candidate: Java leads again once it is connected, and Node when Java closes',
  ),
  ...leaders(
    'Node leads, a LeaderLatch is a candidate: Node goes on leading, and Java leads when it resigns',
  ),
];
const LEADER_KILLED = client('ensemble', 'the session goes on when the leader is killed');
const RESUMED = client('faults', 'a cut connection is resumed with its session, its nodes and its watches');
const FLAPPING = kernel(
  'sessions',
  'a connection that flaps within the session loses nothing and makes nothing again',
);
const NEW_SESSION = kernel(
  'sessions',
  'a new session revives no hold, and a waiter starts again as a new owner',
);
const LOST_JOIN = kernel('joining', 'a join whose answer was lost is found again and not made twice');
const LEADS = [
  ...elections('Java leads, Node is a candidate: each sees the other, and Node follows'),
  ...elections(
    'Node leads, Java is a participant: it sees the leader, and follows, also when Node proclaims meanwhile',
  ),
];
const SELECTOR = elections(
  'a LeaderSelector stands in the line of our lock, and leads when Node releases it',
);
const OBSERVED = elections('an observer in Node is shown every leader of either side');
const THREADS = 'It is about the threads and interrupts of Java, which Node has none of.';
const NO_RECIPE =
  'Holdfast has no barrier in Curator’s layout: its own is cyclic and knows the dead, and is a document of its own.';

/** Curator's own tests of these recipes, by the jar of its tests at the version that was run. */
export const PUBLISHED: PublishedTests = {
  TestInterProcessMutexBase: {
    testLocker: suite(
      'cases/acquiring/run-cases',
      'run holds it for as long as the function runs, and answers what it returns',
    ),
    testWaitingProcessKilledServer: HELD_WITHOUT_LEADER,
    testKilledSession: KILLED,
    testContainerCleanup: CONTAINER,
    testWithNamespace: lines(
      'names without a leading slash, a namespace and a chroot are where Curator finds them',
    ),
    testReentrantSingleLock: reentries('Java enters twice: Node waits for the second release'),
    testReentrant2Threads: reentries(
      'two threads of one JVM, and two owners of one Node client, exclude each other',
    ),
    testReentrant: reentries('Node enters twice: Java waits for the second release'),
    test2Clients: CROWDS,
  },
  TestInterProcessMutex: {
    testWithSchema: not('A schema is a check of Curator’s own clients; the server knows nothing of it.'),
    testRevoking: revocations(
      'a revocable holder of Java that is asked while Node waits: it hears, releases, and Node acquires',
    ),
    testPersistentLock: engine(
      'ticket-names',
      'has nodes of another make where Curator sorts them: ahead below the digits, else behind',
    ),
  },
  TestInterProcessSemaphoreMutex: {
    testReentrant: not('Neither this lock nor our semaphore is re-entrant; the test is empty.'),
    testReentrant2Threads: not('The same.'),
    testReentrantSingleLock: not('The same.'),
  },
  TestInterProcessMultiMutex: {
    testSomeReleasesFail: suite('suites/multi-lock-suite', 'it is lost when any of its members is'),
    testSomeLocksFailToLock: suite('suites/multi-lock-suite', 'a member that fails releases the others'),
  },
  TestInterProcessReadWriteLock: {
    testGetParticipantNodes: lines('each side shows the participants of the other'),
    testThatUpgradingIsDisallowed: suite(
      'cases/read-write/two-sides-cases',
      'a reader that asks for the write side is refused at once',
    ),
    testThatDowngradingRespectsThreads: reentries(
      'two threads of one JVM, and two owners of one Node client, exclude each other',
    ),
    testDowngrading: downgrades('Node reads under its write: a waiting writer of Java waits for the read'),
    testContendingDowngrading: downgrades(
      'Java reads under its write: a waiting writer of Node waits for the read since 5.5',
    ),
    testBasic: lines(
      'readers of both sides hold together, and a waiting writer of either keeps out the readers behind it',
    ),
    testSetNodeData: not('The data of our nodes is ours; no program reads that of a lock.'),
    testLockPath: STOPPED,
  },
  TestInterProcessSemaphore: {
    testAcquireAfterLostServer: RESUMED,
    testThreadedLeaseIncrease: not(
      'Curator can take the number of permits from a SharedCount that grows. Ours is given with the semaphore.',
    ),
    testClientClose: suite(
      'cases/losses/close-cases',
      'closing releases what is held and rejects the waiters',
    ),
    testMaxPerSession: CROWDS,
    testRelease1AtATime: permits('both sides share the permits, and each sees what the other has taken'),
    testReleaseInChunks: permits(
      'a large request of either side at the head keeps small ones of the other behind it',
    ),
    testThreads: FLEET,
    testSimple: holds('Java holds, Node waits'),
    testSimple2: permits('both sides share the permits, and each sees what the other has taken'),
    testGetParticipantNodes: permits('both sides share the permits, and each sees what the other has taken'),
    testNoOrphanedNodes: permits('a request of Node for several permits that gives up leaves nothing behind'),
    testInterruptAcquire: GIVEN_UP,
  },
  TestInterProcessSemaphoreCluster: {
    testKilledServerWithEnsembleProvider: SERVER_KILLED,
    testCluster: HELD_WITHOUT_LEADER,
  },
  TestLockACLs: {
    testLockACLs: accesses(
      'both sides share what is for one user alone, and a client without the credentials is refused',
    ),
    testACLsCreatingParents: accesses(
      'both sides share what is for one user alone, and a client without the credentials is refused',
    ),
  },
  TestLockInternals: {
    testNodeDeletedCleanlyWithFaults: kernel(
      'joining',
      'a join that was given up with its answer lost leaves no ticket either',
    ),
    testAttemptLockFailedException: REAPED,
  },
  TestLeaderLatch: {
    testWithCircuitBreaker: not('It is about a setting of Curator’s own connections.'),
    testUncreatedPathGetLeader: LEADS,
    testGetChildrenHitsNoNode: REAPED,
    testWatchedNodeDeletedOnReconnect: kernel(
      'waiting',
      'a ticket ahead that goes while the connection is broken is noticed afterwards',
    ),
    testSessionInterruptionDoNotCauseBrainSplit: NEW_SESSION,
    testResettingOfLeadershipAfterConcurrentLeadershipChange: kernel(
      'waiting',
      'a waiter whose own ticket is taken away joins again',
    ),
    testLeadershipElectionWhenNodeDisappearsAfterChildrenAreRetrieved: kernel(
      'watched-tickets',
      'one that is gone before it is watched is answered',
    ),
    testSessionErrorPolicy: FLAPPING,
    testErrorPolicies: FLAPPING,
    testProperCloseWithoutConnectionEstablished: client(
      'faults',
      'closing %s turns after the start answers every call and leaves no connection',
    ),
    testResetRace: kernel('joining', 'a wait that is given up while its join is under way leaves no ticket'),
    testCreateDeleteRace: kernel(
      'joining',
      'a wait that is given up while its join is under way leaves no ticket',
    ),
    testLostConnection: STOPPED,
    testCorrectWatching: kernel(
      'waiting',
      'a release wakes the next ticket alone, and idle waiters ask nothing',
    ),
    testWaiting: LEADS,
    testBasic: suite('suites/election-suite', 'candidates come to office in the order of their campaigns'),
    testBasicAlt: suite('suites/election-suite', 'candidates come to office in the order of their campaigns'),
    testCallbackSanity: OBSERVED,
    testCallbackNotifyLeader: OBSERVED,
    testCallbackDontNotify: not('A campaign is a promise: there is no callback to leave out at the end.'),
    testNoServerAtStart: client('faults', 'a refused first connection rejects with its cause'),
    testRelativePath: engine('ticket-names', 'such as %j is one node of its own'),
  },
  TestLeaderLatchCluster: {
    testInCluster: LED_WITHOUT_LEADER,
  },
  TestLeaderAcls: {
    testAclErrorWithLeader: accesses(
      'both sides share what is for one user alone, and a client without the credentials is refused',
    ),
  },
  TestLeaderSelector: {
    testInterruption: ends(
      'a LeaderSelector whose JVM stands still for longer than its session: Node holds, and Curator interrupts the term',
    ),
    testErrorPolicies: FLAPPING,
    testLeaderNodeDeleteOnInterrupt: GIVEN_UP,
    testInterruptLeadershipWithRequeue: not(THREADS),
    testInterruptLeadership: not(THREADS),
    testRaceAtStateChanged: not(THREADS),
    testAutoRequeue: SELECTOR,
    testServerDying: RESUMED,
    testKillSessionThenCloseShouldElectNewLeader: KILLED,
    testKillServerThenCloseShouldElectNewLeader: SERVER_KILLED,
    testClosing: SELECTOR,
    testRotatingLeadership: lines('both sides stand in one line and are served in its order'),
  },
  TestLeaderSelectorCluster: {
    testRestart: LEADER_KILLED,
    testLostRestart: client('ensemble', 'the session goes on when the leader stands still'),
  },
  TestLeaderSelectorEdges: {
    flappingTest: FLAPPING,
    createProtectedNodeInBackgroundTest: LOST_JOIN,
    createProtectedNodeInBackgroundTestNoRetry: kernel(
      'joining',
      'a join that was given up with its answer lost leaves no ticket either',
    ),
  },
  TestLeaderSelectorParticipants: {
    testId: SELECTOR,
    testBasic: SELECTOR,
  },
  TestLeaderSelectorWithExecutor: {
    test: not(THREADS),
  },
  TestSharedCount: {
    testMultiClients: counts('of both sides that lower it at once none is lost'),
    testSimple: counts('Java sets and lowers a SharedCount, Node awaits it as a latch'),
    testSimpleVersioned: counts('of both sides that lower it at once none is lost'),
    testMultiClientVersioned: counts('of both sides that lower it at once none is lost'),
    testMultiClientDifferentSeed: counts(
      'Node sets and counts down a latch, Java sees every value as a SharedCount',
    ),
    testDisconnectEventOnWatcherDoesNotRetry: RESUMED,
    testDisconnectReconnectEventDoesNotFireValueWatcher: RESUMED,
    testDisconnectReconnectWithMultipleClients: RESUMED,
  },
  'TestDistributedBarrier, TestDistributedDoubleBarrier': {
    'all seven': not(NO_RECIPE),
  },
};
