#!lua flags=no-writes
-- Tells the count of a latch, and which time it is that it is closed.
-- mirrors: RCountDownLatch.getCount
-- KEYS: latch, round
-- ARGV:
-- returns: the count and the round, each empty if there is none
return { redis.call('GET', KEYS[1]) or '', redis.call('GET', KEYS[2]) or '' }
