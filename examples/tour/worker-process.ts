// One worker: a process with an engine object of its own. Started by the tour, with its order as the only argument.
import { setTimeout as sleep } from 'node:timers/promises';
import { sqlite } from 'holdfast/sqlite';
import type { FromWorker, ToWorker } from './letters.ts';
import { taskCalled } from './tasks.ts';
import type { Message } from './worker.ts';

/** How long a message takes each way. Without it everything would be over before you could see it. */
const ON_THE_WAY_MS = 4;

interface Order {
  readonly task: string;
  readonly name: string;
  readonly input: Message;
  readonly file: string;
  readonly leaseMs: number;
}

const { task, name, input, file, leaseMs } = JSON.parse(process.argv[2] ?? '{}') as Order;
const waiting = new Map<number, (value: Message) => void>();
let letters = 0;

process.on('message', (letter) => {
  const { id, value } = letter as ToWorker;
  waiting.get(id)?.(value);
  waiting.delete(id);
});

async function ask(what: string, value: Message = null): Promise<Message> {
  const id = letters++;
  await sleep(ON_THE_WAY_MS);
  const answer = await new Promise<Message>((resolve) => {
    waiting.set(id, resolve);
    process.send?.({ id, what, value } satisfies FromWorker);
  });
  await sleep(ON_THE_WAY_MS);
  return answer;
}

const locks = sqlite({ file, renewalLeaseMs: leaseMs, label: name });
await taskCalled(task)({ name, input, locks, ask });
await locks.close();
process.disconnect();
