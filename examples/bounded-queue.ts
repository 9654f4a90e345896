// A queue with room for three items between processes: a producer waits while it is full, consumers wait while it is empty.
//
// A monitor guards a state that lies in the store. Its conditions wake the process that can go on, and no process asks in a loop.
// A producer ends after its last item, a consumer by Ctrl-C or `kill`.
//
//   export HOLDFAST_URL=redis://127.0.0.1:6379
//   node bounded-queue.ts produce apples pears plums figs dates &
//   node bounded-queue.ts consume
//
import { connect } from 'holdfast';

interface Queue {
  readonly items: readonly string[];
}

const ROOM = 3;
const [role, ...items] = process.argv.slice(2);

const stop = new AbortController();
const { signal } = stop;
process.once('SIGTERM', () => stop.abort());
process.once('SIGINT', () => stop.abort());

const locks = await connect();
const queue = locks.monitor<Queue>('fruit', { initial: { items: [] } });

async function put(item: string): Promise<void> {
  await queue.run(
    async (m) => {
      await m.waitUntil('notFull', (state) => state.items.length < ROOM);
      m.set({ items: [...m.state.items, item] });
      m.signal('notEmpty');
    },
    { signal },
  );
}

async function take(): Promise<string> {
  return queue.run(
    async (m) => {
      await m.waitUntil('notEmpty', (state) => state.items.length > 0);
      const [item = '', ...others] = m.state.items;
      m.set({ items: others });
      m.signal('notFull');
      return item;
    },
    { signal },
  );
}

async function produce(): Promise<void> {
  for (const item of items) {
    await put(item);
    console.log(`put ${item}`);
  }
}

async function consume(): Promise<void> {
  for (;;) console.log(`took ${await take()}`);
}

try {
  await (role === 'produce' ? produce() : consume());
} catch (error) {
  // A wait that is stopped rejects with the reason of its signal. What it waited for is still in the queue.
  if (error !== signal.reason) throw error;
} finally {
  await locks.close();
}
