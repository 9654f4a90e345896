/** Where nothing but this process works, a round is thousands of pairs in any case. */
export const inProcess = {
  full: { rounds: 11, warmUpRounds: 2, roundMs: 400 },
  quick: { rounds: 3, warmUpRounds: 1, roundMs: 60 },
};

/**
 * Many short rounds: what else runs on the machine changes from one second to the next, and a round must see it alike.
 * A contestant with more code is compiled for longer, and the warm-up ends after that.
 */
export const ofPairs = {
  full: { rounds: 101, warmUpRounds: 30, roundMs: 40 },
  quick: { rounds: 5, warmUpRounds: 2, roundMs: 40 },
};

/**
 * The same on a database server, where the disk limits the pairs: until the compiler has seen enough of each contestant, the
 * figures of the larger program would be those of its first seconds.
 */
export const ofDurablePairs = {
  full: { rounds: 41, warmUpRounds: 30, roundMs: 150 },
  quick: { rounds: 5, warmUpRounds: 6, roundMs: 50 },
};

/** A contestant that asks again after a quarter of a second needs a round of several quarters. */
export const ofWaiters = {
  full: { rounds: 7, warmUpRounds: 1, roundMs: 1000 },
  quick: { rounds: 1, warmUpRounds: 0, roundMs: 400 },
};

/** Beside a program in Java, whose compiler needs some seconds of work before it has seen enough. */
export const ofWaitersBesideJava = {
  full: { rounds: 9, warmUpRounds: 4, roundMs: 1500 },
  quick: { rounds: 3, warmUpRounds: 3, roundMs: 700 },
};

/**
 * Two processes of each contestant hand over some three hundred times in a round, and the slowest three of them are its 99th
 * percentile. They have warmed up when they were opened.
 */
export const ofHandOvers = {
  full: { rounds: 9, warmUpRounds: 1, roundMs: 2000 },
  quick: { rounds: 1, warmUpRounds: 0, roundMs: 400 },
};

/** The same where a hand-over waits for the disk and a lock is held until the other process has joined the queue: a hundred in a round. */
export const ofDurableHandOvers = {
  full: { rounds: 9, warmUpRounds: 1, roundMs: 4000 },
  quick: { rounds: 3, warmUpRounds: 0, roundMs: 1500 },
};

/** More than one window of two seconds to each round. */
export const ofFleets = {
  full: { rounds: 5, warmUpRounds: 1, roundMs: 3000 },
  quick: { rounds: 1, warmUpRounds: 0, roundMs: 2000 },
};

/** The same where each contestant is opened anew for each round, and warms up in it. */
export const ofLonelyWaiters = {
  full: { rounds: 5, warmUpRounds: 0, roundMs: 1000 },
  quick: { rounds: 1, warmUpRounds: 0, roundMs: 400 },
};

/** One size after the other, each for a part of the round. */
export const ofGrowth = {
  full: { rounds: 5, warmUpRounds: 1, roundMs: 2400 },
  quick: { rounds: 1, warmUpRounds: 0, roundMs: 1000 },
};

/** Each round is a process: it makes its pairs, however long they take. */
export const ofYoungProcesses = {
  full: { rounds: 25, warmUpRounds: 1, roundMs: 200 },
  quick: { rounds: 3, warmUpRounds: 0, roundMs: 200 },
};
