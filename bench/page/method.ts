/** How the figures came about, and what they do not say. */
export const METHOD = `## How it is measured

- **All contestants in every round.** Each contestant has a process of its own that lives through all rounds. In every round all
  of them are measured one after the other, in a new order each time: what slows the machine for a while falls on all
  alike. The first rounds warm up and do not count. A contestant that would work on between its rounds performs in a place of its own.
- **Ratios within a round.** A ratio is formed between two contestants in the same round, and then the median over the
  rounds is taken. A ratio of two medians would compare moments at which the machine was differently busy. The fastest peer is
  the one with the best median.
- **Medians and their spread.** The middle half is what lies between the first and the third quartile of the rounds. Where
  it is wide, the machine was busy with something else: see the load average, in which our own processes are contained.
- **Peers as they wish to be used.** Every peer is measured as its own documentation shows it and, where a caller has to
  wait, once more with the fastest setting that is still safe. A peer that would give up after some seconds is set to wait on.
- **No hints.** A holder releases at another part of the millisecond each time, and no message of the benchmark wakes the
  waiting process: a fixed time, or a message that wakes its loop up, would let a poller ask just in time.
- **Warm, and at work.** A waiter that gets a message runs more code than one that polls, and runs it rarely. So all hand over
  three thousand times (or for 40 s) before a hand-over between processes counts, and V8 may not throw away compiled code
  while the others have their turn (\`--no-memory-reducer\`), as it would not in a process that is busy. A program that hands
  over once a minute will see longer ones, much longer with more code: [the notes](../bench/notes/hints-of-the-benchmark.md)
  have both figures.
- **Floors.** A floor is what a lock could at best be made of: the same statements over the same client, prepared, with
  nothing around them. It is no lock.
- **Promises.** A bound on a ratio or on a figure, which \`npm run bench:gate\` checks. One that was not kept in this run is
  shown as not kept. It is out of reach where the floor did not keep it in this run either.
- **Real servers.** They are started for the benchmark on a free port of the same machine. Databases write to the disk
  before they answer, as they do with unchanged settings; Redis keeps nothing on disk.

In the tables Holdfast is **bold** and a floor is _slanted_. "Ours to it" is how many times as good Holdfast is as the one in
that row, "to the floor" how near the one in that row comes to its floor: above 1 × the first of the two is ahead. Where
Holdfast is measured over several clients, "ours" is the one over the client that the peers use.

A _pair_ is one acquisition and its release, a _section_ a pair of a caller that had to wait for it. _CV_ is the coefficient
of variation between the waiters: 0 if all were served equally often. _p50_ and _p99_ are the median and the longest
but one in a hundred.

### What the figures do not say

- Everything ran on one machine, over the loopback. A real network adds the same to every round trip: a library that needs fewer
  of them gains, and what is computed around them weighs less.
- With as many cores as are named below, server and clients compete for the processor. More cores help those with more
  processes.
- An empty section is the hardest case for a lock and the rarest in a program. The longer the work inside, the less the
  lock weighs; what a poller sleeps between two holders stays.
- Absolute figures belong to this machine. Read the ratios.`;
