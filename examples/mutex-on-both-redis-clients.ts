// One mutex for programs with different Redis clients: ioredis in the one, node-redis in the other.
//
// Holdfast takes the client that a program has, and both clients lead to the same lock. Here each process adds to a counter by reading
// and writing it, which loses additions as soon as two processes do so at the same time.
//
//   export HOLDFAST_URL=redis://127.0.0.1:6379
//   node mutex-on-both-redis-clients.ts ioredis 100 & node mutex-on-both-redis-clients.ts node-redis 100
//   redis-cli get counter
//
import { redis } from 'holdfast/redis';
import { Redis } from 'ioredis';
import { createClient } from 'redis';

const url = process.env.HOLDFAST_URL ?? 'redis://127.0.0.1:6379';
const [name, times = '1'] = process.argv.slice(2);

async function openIoredis() {
  const client = new Redis(url);
  return { client, locks: redis({ client }), close: () => client.quit() };
}

async function openNodeRedis() {
  const client = createClient({ url });
  // node-redis throws what no listener takes: a lost connection would end the process.
  client.on('error', (error: Error) => console.error(error.message));
  await client.connect();
  return { client, locks: redis({ client }), close: () => client.close() };
}

const { client, locks, close } = name === 'ioredis' ? await openIoredis() : await openNodeRedis();
const mutex = locks.lock('counter-mutex');
for (let done = 0; done < Number(times); done++) {
  await mutex.run(async () => {
    const count = Number(await client.get('counter'));
    await client.set('counter', String(count + 1));
  });
}
console.log(`${name}: added ${times}`);

// close() leaves your client open: it is yours.
await locks.close();
await close();
