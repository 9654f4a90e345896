#!lua flags=no-writes
-- Tells the number of a semaphore or a latch.
-- mirrors: RSemaphore.availablePermits, RCountDownLatch.getCount
-- KEYS: counter
-- ARGV:
-- returns: the number, or empty if there is none
return { redis.call('GET', KEYS[1]) or '' }
