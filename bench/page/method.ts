/** How the figures came about, and what they do not say. */
export const METHOD = `## How it is measured

- **All contestants in every round.** Each contestant has a process of its own that lives through all rounds. In every round all
  of them are measured one after the other, in a new order each time, so that a slow phase of the machine slows all of them
  alike. The first rounds warm up and do not count. A contestant that would keep working between its rounds runs apart from the others.
- **Ratios within a round.** A ratio compares two contestants in the same round; the page shows the median over the
  rounds. A ratio of two medians would compare moments at which the machine was busy to different degrees. The fastest peer is
  the one with the best median.
- **Medians and their spread.** The middle half is the range between the first and the third quartile of the rounds. Where
  it is wide, the machine was busy with something else: see the load average, which includes our own processes.
- **Peers as their documentation uses them.** Every peer runs as its own documentation shows it and, where a caller has to
  wait, once more with the fastest setting that is still safe. A peer that would give up after some seconds is set to wait longer.
- **No hints.** A holder releases at another part of the millisecond each time, and no message of the benchmark wakes the
  waiting process: a fixed time, or a message that wakes its event loop, would let a poller ask just in time.
- **Warm, and at work.** A waiter that gets a message runs more code than one that polls, and runs it rarely. So every contestant hands
  over three thousand times (or for 40 s) before a hand-over between processes counts, and V8 may not drop compiled code
  while the others run (\`--no-memory-reducer\`), as it would not in a busy process. A program that hands over once a minute
  will see longer hand-overs, much longer with more code: [the notes](../bench/notes/hints-of-the-benchmark.md) have both
  figures.
- **Floors.** A floor is the least that a lock could consist of: the same statements over the same client, prepared, with
  nothing around them. It is not a lock.
- **Promises.** A bound on a ratio or on a figure, which \`npm run bench:gate\` checks. The page says which ones this run did
  not keep. A promise is out of reach where the floor did not keep it in this run either.
- **Real servers.** The benchmark starts them on a free port of the same machine. Databases write to the disk
  before they answer, as they do with default settings; Redis keeps nothing on disk.

In the tables Holdfast is **bold** and a floor is _slanted_. "Ours to it" says how many times as good Holdfast is as the contestant of
that row, "to the floor" how near that contestant comes to its floor: above 1 × the first of the two is ahead. Where
Holdfast runs over several clients, "ours" is the one over the client that the peers use.

A _pair_ is one acquisition and its release, a _section_ a pair of a caller that had to wait for it. _CV_ is the coefficient
of variation between the waiters: 0 if all were served equally often. _p50_ and _p99_ are the median and the time
that 99 of a hundred stay below.

### What the figures do not say

- Everything ran on one machine, over the loopback. A real network adds the same to every round trip: a library that needs fewer
  round trips gains, and the computing around them matters less.
- Server and clients compete for the cores that are named below. More cores help libraries with more
  processes.
- An empty section is the hardest case for a lock and the rarest in a program. The longer the work inside, the less the
  lock matters; the time that a poller sleeps between two holders stays the same.
- Absolute figures are those of this machine. Read the ratios.`;
