import { bar, say, show } from '../screen.ts';
import type { Scene, Stage } from '../stage.ts';
import type { Errand } from '../worker.ts';

const WORKERS = ['ada', 'ben', 'cleo', 'dan'];
const ROUNDS = 25;
const WANTED = WORKERS.length * ROUNDS;

/** Reads the balance, adds one, writes it back: three steps, and anything may happen between them. */
export async function add({ input, locks, ask }: Errand): Promise<void> {
  const addOne = async () => {
    const balance = Number(await ask('read'));
    await ask('write', balance + 1);
  };
  const lock = locks.lock('account');
  for (let round = 0; round < ROUNDS; round++) {
    if (input === 'locked') await lock.run(addOne);
    else await addOne();
  }
}

/** All workers at once on one account; answers what it says in the end. */
async function addAll(stage: Stage, way: 'unlocked' | 'locked'): Promise<number> {
  let balance = 0;
  let additions = 0;
  const answer = (_from: string, what: string, value: unknown) => {
    if (what === 'read') return balance;
    balance = Number(value);
    additions++;
    show(`  ${way.padEnd(9)}${bar(additions, WANTED)} ${additions} additions, the account says ${balance}`);
    return undefined;
  };
  const workers = WORKERS.map((name) => stage.start('add', name, way, answer));
  await Promise.all(workers.map(({ done }) => done));
  say(`  ${way.padEnd(9)}${bar(balance, WANTED)} ${additions} additions, the account says ${balance}`);
  return balance;
}

export const lostUpdate: Scene = {
  title: 'A lost update',
  sentence: `Four workers add 1 to one account, ${ROUNDS} times each: it should end at ${WANTED}.`,
  play: async (stage) => {
    const unlocked = await addAll(stage, 'unlocked');
    const locked = await addAll(stage, 'locked');
    stage.claim(`without a lock ${WANTED - unlocked} of ${WANTED} additions were lost`, unlocked < WANTED);
    stage.claim(`with it ${WANTED - locked} were lost`, locked === WANTED);
  },
};
