import { at, not, type PublishedTests } from '../published.ts';

const table = at('test/interop/redisson/table.ts');
const kills = at('test/interop/redisson/kill-cells.ts');
const permits = at('test/interop/redisson/permit-cells.ts');
const latches = at('test/interop/redisson/latch-cells.ts');
const every = at('test/interop/redisson/published-every-lock.interop.ts');
const locks = at('test/interop/redisson/published-locks.interop.ts');
const readWrite = at('test/interop/redisson/published-read-write.interop.ts');
const counters = at('test/interop/redisson/published-counters.interop.ts');
const fleet = at('test/interop/fleet/mixed-fleet.interop.ts');
const golden = (file: string, title: string) => at(`test/wire/redisson-golden/${file}.test.ts`)(title);
const suite = (file: string, title: string) => at(`src/testing/${file}.ts`)(title);
const faults = (file: string, title: string) => at(`test/faults/redis/${file}.test.ts`)(title);

const WAITS = table('Node holds, Java waits');
const JAVA_LEASE = table('a lease that Java lets run out: Node acquires then, and Java is refused');
const BREAKS = [
  ...table('Java breaks a hold of Node: hold.lost fires, and Java acquires'),
  ...table('Node breaks what Java holds: Java is refused, and Node acquires'),
];
const STRANGERS = table('what Node holds is not Java’s to unlock, and the other way round');
const CROWDS = table('three of each side, again and again: never two at once, and each acquires');
const JAVA_DIES = kills('a JVM that is killed: Node acquires when its leases are over, and not before');
const FLEET = fleet(
  '$kind: no increment is lost or done twice, fences increase, and no waiter waits in vain',
);
const SET_UP = 'It is about a setting of Redisson’s own connections.';
const ASYNC = 'Futures are an interface of Java’s; what the calls do is the same, and asserted above.';

const OF_EVERY_LOCK = {
  testGetHoldCount: every('testGetHoldCount'),
  testIsHeldByCurrentThread: every('testIsHeldByCurrentThread'),
  testIsHeldByCurrentThreadOtherThread: every('testIsHeldByCurrentThread'),
  testIsLocked: every('testIsLockedOtherThread'),
  testIsLockedOtherThread: every('testIsLockedOtherThread'),
  testUnlockFail: STRANGERS,
  testLockUnlock: every('testLockUnlock'),
  testReentrancy: every('testReentrancy'),
  testConcurrency_SingleInstance: CROWDS,
  testConcurrencyLoop_MultiInstance: CROWDS,
  testConcurrency_MultiInstance: FLEET,
};

/** Redisson's own tests of these objects, at the version that the wire note was written from. */
export const PUBLISHED: PublishedTests = {
  RedissonLockTest: {
    testSubscriptionsPerConnection: locks('testSubscriptionsPerConnection'),
    testSinglePubSub: not(`${SET_UP} Holdfast has one connection for messages, whatever is waited for.`),
    testLockIsNotRenewedAfterInterruptedTryLock: locks('testLockIsNotRenewedAfterInterruptedTryLock'),
    testRedisFailed: faults('unreachable-server', '%s: refusing connections, it is given up'),
    testRemainTimeToLive2: locks('testRemainTimeToLive2'),
    testTryLockWait: WAITS,
    testLockUninterruptibly: not(
      'Node has no interrupts. An `AbortSignal` ends a wait, and nothing else does.',
    ),
    testForceUnlock: BREAKS,
    testExpire: JAVA_LEASE,
    testRemainTimeToLive: locks('testRemainTimeToLive'),
    testInCluster: WAITS,
    testAutoExpire: JAVA_DIES,
    ...OF_EVERY_LOCK,
    testLockFailoverInCluster: faults('failover-under-load', 'in a cluster'),
    testConcurrencyTryLockUnLock: suite(
      'cases/losses/renewal-cases',
      'a hold that follows others is renewed like the first',
    ),
    testLockListener: locks('testLockListener'),
  },
  RedissonFairLockTest: {
    testLeaseTimeout: locks('testLeaseTimeout'),
    testMultipleLocks: FLEET,
    testWaitTimeoutDrift: locks('testWaitTimeoutDrift'),
    testLockAcquiredTimeoutDrift: locks('testWaitTimeoutDrift'),
    testFirstThreadDeathTimeoutDrift: FLEET,
    testAcquireFailedTimeoutDrift_Descrete: table(
      'a waiter that gives up leaves the line, and those behind keep their time',
    ),
    testLockAcquiredBooleanTimeoutDrift_Descrete: golden('fair-lock', 'fair-lock-single-try'),
    testLockAcquiredTimeoutDrift_Descrete: golden('fair-lock', 'fair-lock-entered-by-the-first'),
    testAbandonedTimeoutDrift_Descrete: golden('fair-lock', 'fair-lock-line'),
    testTryLockNonDelayed: locks('testTryLockNonDelayed'),
    testTryLockWait: WAITS,
    testExpire: locks('testExpire'),
    testConcurrency_MultiInstance_Ordering: table('both sides stand in one line and are served in its order'),
    testNameMapper: golden('names', 'are those of the name with its prefix, as its name mapper has it'),
    testAcquireFailedNotCalledOnRedisTimeout: faults(
      'late-requests',
      '%s: is granted to no owner when its sender has given up',
    ),
    testForceUnlock: BREAKS,
    testAutoExpire: JAVA_DIES,
    ...OF_EVERY_LOCK,
  },
  RedissonReadWriteLockTest: {
    testReadLockExpiration: readWrite('testReadLockExpiration'),
    testReadLockIsLocked: readWrite('testReadLockIsLocked'),
    testReadLockExpirationRenewal: table('Java renews what it holds, and Node stays out'),
    testName: readWrite('testName'),
    testWriteLockExpiration: readWrite('testWriteLockExpiration'),
    testInCluster: WAITS,
    testReadLockLeaseTimeoutDiffThreadsWRR: readWrite('testReadLockLeaseTimeoutDiffThreadsWRR'),
    testReadLockLeaseTimeoutDiffThreadsRRW: readWrite('testReadLockLeaseTimeoutDiffThreadsRRW'),
    testReadLockLeaseTimeout: readWrite('testReadLockExpiration'),
    testWR: readWrite('testWR'),
    testWriteRead: readWrite('testWriteRead'),
    testWriteReadReentrancy: readWrite('testWriteReadReentrancy'),
    testWriteLock: every('testReentrancy'),
    testMultiRead: readWrite('testMultiRead'),
    testForceUnlock: readWrite('testForceUnlock'),
    testReadWriteTTL: readWrite('testReadWriteTTL'),
    testExpireRead: JAVA_LEASE,
    testExpireWrite: JAVA_LEASE,
    testAutoExpire: JAVA_DIES,
    testHoldCount: every('testGetHoldCount'),
    testIsHeldByCurrentThread: every('testIsHeldByCurrentThread'),
    testIsHeldByCurrentThreadOtherThread: every('testIsHeldByCurrentThread'),
    testIsLocked: every('testIsLockedOtherThread'),
    testIsLockedOtherThread: every('testIsLockedOtherThread'),
    testUnlockFail: STRANGERS,
    testLockUnlock: every('testLockUnlock'),
    testReentrancy: every('testReentrancy'),
    testConcurrency_SingleInstance: CROWDS,
    testConcurrencyLoop_MultiInstance: CROWDS,
    testConcurrency_MultiInstance: FLEET,
    testMultiInstanceReadLockZombieCleanup: readWrite('testMultiInstanceReadLockZombieCleanup'),
  },
  RedissonLockExpirationRenewalTest: {
    testLockAfterTimeout: faults(
      'restarted-server',
      '%s: without its data, the fence tells the two holders apart',
    ),
    testReadLockAfterTimeout: faults(
      'restarted-server',
      '%s: without its data, the fence tells the two holders apart',
    ),
    testWriteLockAfterTimeout: faults(
      'restarted-server',
      '%s: without its data, the fence tells the two holders apart',
    ),
    testLockReentrantRenew: suite(
      'cases/reentry/nested-lease-cases',
      'an inner hold without a lease renews the outer one',
    ),
  },
  RedissonLockHeavyTest: {
    lockUnlockRLock: FLEET,
    tryLockUnlockRLock: FLEET,
  },
  RedissonSpinLockTest: {
    testTryLockWait: locks('testTryLockWait'),
    'the set of the plain lock': locks('testTryLockWait'),
    testTryLockAsync: not(ASYNC),
    testTimedTryLockAsync: not(ASYNC),
    testTryLockAsyncWaitTime: not(ASYNC),
    testTryLockAsyncFailed: not(ASYNC),
    testTryLockAsyncSucceed: not(ASYNC),
  },
  LockOptionsTest: {
    testExponentialBackoff: not(
      'It is the arithmetic of the pauses of a spin lock. Holdfast waits for messages.',
    ),
    testConstantBackoff: not('The same.'),
  },
  RedissonFencedLockTest: {
    testTokenIncrease: locks('testTokenIncrease'),
  },
  'RedissonNonReentrantLockTest, …FairLockTest': {
    'all three of each': locks('%s'),
  },
  RedissonMultiLockTest: {
    testLockUnlock: table('Java holds, Node waits'),
    testWaitAndLeaseTimeouts: JAVA_LEASE,
    testMultiThreads: CROWDS,
    test: counters('three locks as one'),
  },
  RedissonFasterMultiLockTest: {
    'all 24': not(
      'The grouped multi-lock puts values through Java’s own serialization into the names of fields: another program cannot form them.',
    ),
  },
  RedissonRedLockTest: {
    'failure when 2 of 3 are held': suite(
      'cases/composed/majority-cases',
      'a majority is enough, and less is nothing',
    ),
    'success when 1 of 3 is held': suite(
      'cases/composed/majority-cases',
      'a majority is enough, and less is nothing',
    ),
    'a server that is down': suite('cases/composed/majority-cases', 'a member that fails is outvoted'),
    'leases and mutual exclusion': not('Redisson has given up this lock, and removed its tests in 2026.'),
  },
  RedissonSemaphoreTest: {
    testAcquireAfterAddPermits: counters('testAcquireAfterAddPermits'),
    testZero: counters('testAcquireAfterAddPermits'),
    testAcquireWithoutSetPermits: golden('bare-semaphore', 'semaphore-released-without-any'),
    testTrySetPermits: counters('testTrySetPermits'),
    testAddPermits: counters('testAcquireAfterAddPermits'),
    testReducePermits: counters('testReducePermits'),
    testBlockingAcquire: WAITS,
    testBlockingNAcquire: counters('testBlockingNAcquire'),
    testTryNAcquire: counters('testBlockingNAcquire'),
    testReleaseWithoutPermits: golden('bare-semaphore', 'semaphore-released-without-any'),
    testDrainPermits: counters('testDrainPermits'),
    testReleaseAcquire: table('Java holds, Node waits'),
    testReleaseIfExists: counters('testReleaseIfExists'),
    testConcurrency_SingleInstance: CROWDS,
    testConcurrencyLoopMax_MultiInstance: counters('testConcurrencyLoopMax_MultiInstance'),
    testConcurrencyLoop_MultiInstance: CROWDS,
    testConcurrency_MultiInstance_1_permits: CROWDS,
  },
  RedissonPermitExpirableSemaphoreTest: {
    testGetInClusterNameMapper: golden(
      'names',
      'are those of the name with its prefix, as its name mapper has it',
    ),
    testUpdateLeaseTime: permits('each side prolongs what the other has taken'),
    testNotExistent: permits('Java does not release a permit that it does not know'),
    testAvailablePermits: counters('testAvailablePermits'),
    testAcquiredPermits: counters('testAvailablePermits'),
    testGetPermits: counters('testAvailablePermits'),
    testExpiration: not(
      'Holdfast gives the object itself no time to live; what Java gives it is kept by the server.',
    ),
    testExpire: JAVA_LEASE,
    testExpireTryAcquire: JAVA_LEASE,
    testTrySetPermits: golden('permit-semaphore', 'permits-set-and-added'),
    testSetPermits: counters('testSetPermits'),
    testAddPermits: golden('permit-semaphore', 'permits-set-and-added'),
    testBlockingAcquire: permits('a client with the id releases the permit, whichever side acquired it'),
    testBlockingAcquireMany: permits('several permits at once, from both sides'),
    testTryAcquire: WAITS,
    testTryAcquireMany: permits('several permits at once, from both sides'),
    testReleaseWithoutPermits: permits('Java does not release a permit that it does not know'),
    testReleaseExpired: counters('testReleaseExpired'),
    testConcurrency_SingleInstance: CROWDS,
    testConcurrency_MultiInstance: CROWDS,
    testAcquire: table('Java holds, Node waits'),
    testRelease: permits('several permits at once, from both sides'),
    testAcquireAsyncMany: not(ASYNC),
    testReleaseAsyncMany: not(ASYNC),
    testReleaseManyExpiredDoesNotThrow: counters('testReleaseManyNotExistOrExpired'),
    testTryReleaseManyExpired: counters('testReleaseManyNotExistOrExpired'),
    testReleaseManyNotExistOrExpired: counters('testReleaseManyNotExistOrExpired'),
    testGetLeaseTime: counters('testGetLeaseTime'),
    testConcurrencyMultiPermits: suite(
      'cases/acquiring/permit-cases',
      'a request for two permits is granted when there are two',
    ),
    testConcurrencyMultiPermits2: suite(
      'cases/acquiring/permit-cases',
      'a request for two permits is granted when there are two',
    ),
  },
  'RedissonCountDownLatchTest, …ConcurrentTest': {
    testAwaitTimeout: latches('Node sets and counts, Java awaits'),
    testAwaitTimeoutFail: latches('Java sets and counts, Node awaits'),
    testMultiAwait: latches('all who await on either side go on at once'),
    testCountDown: counters('testCountDown'),
    testDelete: counters('testDelete'),
    testDeleteFailed: latches('Java deletes it, and Node goes on'),
    testTrySetCount: latches('Node sets and counts, Java awaits'),
    testCount: latches('Java sets and counts, Node awaits'),
    'the one with 3 x CPU waiters': suite(
      'cases/latch/latch-counting-cases',
      'many count down at once, and none is lost or counted twice',
    ),
  },
  'RedissonLockReactiveTest, RedissonLockRxTest': {
    'all three of each': not(ASYNC),
  },
  'CountDownLatchPubSubTest, PublishSubscribeTest, ReadLockEntryTest, AsyncSemaphoreTest': {
    'all of them': not('They test classes inside Redisson that no other program sees.'),
  },
  RedissonTopicTest: {
    testResubscriptionAfterFailover: faults('lost-messages', '%s: all of them are called afterwards'),
    testReattachInSentinel3: faults('failover-under-load', 'by Sentinels'),
  },
};
