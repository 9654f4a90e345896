import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Locks } from 'holdfast';
import { CUSTOMERS, ELECTION, type News } from './news.ts';
import { say, styled } from './screen.ts';

const PROGRAM = fileURLToPath(new URL('./worker.js', import.meta.url));
const PATIENCE_MS = 10_000;

interface Member {
  readonly name: string;
  readonly process: ChildProcess;
  readonly gone: Promise<unknown>;
}

/** What a killed worker holds until its lease ends. */
interface Orphan {
  readonly of: string;
  readonly fence: bigint;
  readonly since: number;
}

/** The workers, what they tell, and whether it can be so. */
export class Fleet {
  served = 0;
  killed = 0;
  takenOver = 0;
  /** What must not be: a fence that two workers had, a report that was written twice. */
  faults = 0;
  readonly #url: string;
  /** For looks at the store: the demo itself holds nothing. */
  readonly #locks: Locks;
  readonly #members = new Map<string, Member>();
  readonly #orphans = new Map<string, Orphan>();
  readonly #seen = new Set<string>();
  #started = 0;

  constructor(url: string, locks: Locks) {
    this.#url = url;
    this.#locks = locks;
  }

  start(): void {
    const name = `worker-${++this.#started}`;
    const child = fork(PROGRAM, [name, this.#url]);
    this.#members.set(name, { name, process: child, gone: once(child, 'exit') });
    child.on('message', (news) => this.#hear(name, news as News));
    say(`${name} starts, pid ${child.pid}`);
  }

  /** Kills a worker without a chance to clean up: in turn the leader, and one that serves a customer. Another worker starts instead. */
  async killOne(): Promise<void> {
    const holders = await this.#holders();
    const wanted = holders.filter(({ name }) => (name === ELECTION) === (this.killed % 2 === 0));
    const victim = wanted
      .map(({ worker }) => this.#members.get(worker))
      .find((member) => member !== undefined);
    if (victim === undefined) return;
    this.killed++;
    victim.process.kill('SIGKILL');
    this.#members.delete(victim.name);
    const since = performance.now();
    // The store is asked again: the worker may have released between the first look and its death, and now it cannot any more.
    const held = (await this.#holders()).filter(({ worker }) => worker === victim.name);
    for (const { name, fence } of held) this.#orphans.set(name, { of: victim.name, fence, since });
    const what = held.length === 0 ? 'nothing any more' : held.map(({ name }) => name).join(' and ');
    say(styled(['bold', 'red'], `${victim.name} is killed, and held ${what}`));
    this.start();
  }

  async end(): Promise<void> {
    const members = [...this.#members.values()];
    for (const { process: child } of members) child.kill('SIGTERM');
    const late = setTimeout(
      () => members.forEach(({ process: child }) => child.kill('SIGKILL')),
      PATIENCE_MS,
    );
    await Promise.all(members.map(({ gone }) => gone));
    clearTimeout(late);
  }

  #hear(worker: string, { what, name, fence }: News): void {
    // The last words of a worker that was killed.
    if (!this.#members.has(worker)) return;
    if (what === 'failed') return say(styled('yellow', `${worker}: ${name}`));
    if (what === 'done') {
      this.served++;
      return;
    }
    if (what === 'reported') {
      this.#expectNew(`report ${name}`, `the report of ${name} was written twice`);
      return say(`${worker} writes the report of ${name}, alone in the fleet`);
    }
    this.#hold(worker, name, BigInt(fence ?? 0));
    if (what === 'leads') say(styled('cyan', `${worker} leads`));
  }

  #hold(worker: string, name: string, fence: bigint): void {
    this.#expectNew(`${name} ${fence}`, `two holders of ${name} have the fence ${fence}`);
    const orphan = this.#orphans.get(name);
    // The race: each worker has a line of its own to the demo, and news of an earlier holder may arrive late.
    if (orphan === undefined || fence <= orphan.fence) return;
    this.#orphans.delete(name);
    this.takenOver++;
    const seconds = ((performance.now() - orphan.since) / 1000).toFixed(1);
    say(
      styled(
        'green',
        `${worker} takes over ${name} from ${orphan.of}, ${seconds} s after the kill, with a higher fence`,
      ),
    );
  }

  /** Which worker holds which customer, and which one leads, as Redis has it. */
  async #holders(): Promise<
    readonly { readonly name: string; readonly worker: string; readonly fence: bigint }[]
  > {
    const leader = await this.#locks.election(ELECTION).leader();
    const leads = leader && [{ name: ELECTION, worker: leader.value ?? '', fence: leader.fence }];
    const serves = await Promise.all(
      CUSTOMERS.map(async (name) => {
        const holder = await this.#locks.lock(name).holder();
        const worker = holder?.client?.name;
        return worker === undefined ? [] : [{ name, worker, fence: holder!.fence }];
      }),
    );
    return [...(leads ?? []), ...serves.flat()];
  }

  #expectNew(key: string, fault: string): void {
    if (this.#seen.has(key)) this.#fault(fault);
    this.#seen.add(key);
  }

  #fault(text: string): void {
    this.faults++;
    say(styled(['bold', 'red'], `✗ ${text}`));
  }
}
