// A handler that works on one request of a customer at a time, and tells apart why it cannot.
//
//   200  the work is done
//   409  another request of this customer is being worked on: a client tries again when that one is done
//   503  the store of the locks does not answer, so that the holder is unknown: a client tries again later
//
//   HOLDFAST_URL=redis://127.0.0.1:6379 PORT=8080 node http-409-and-503.ts
//   curl -X POST http://127.0.0.1:8080/pay/ada
//
import { createServer, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { AcquireTimeoutError, connect, EngineError } from 'holdfast';

const locks = await connect();

/** Stands for your work. It stops when the hold is lost. */
async function charge(customer: string, signal: AbortSignal): Promise<string> {
  await sleep(10, undefined, { signal });
  return `charged ${customer}`;
}

async function pay(customer: string, response: ServerResponse): Promise<void> {
  try {
    const lock = locks.lock(`customer:${customer}`);
    const done = await lock.run((hold) => charge(customer, hold.lost), { timeoutMs: 500 });
    response.writeHead(200).end(`${done}\n`);
  } catch (error) {
    // The messages name hosts and processes: they are for the log, not for the client.
    console.error(error instanceof Error ? error.message : error);
    if (error instanceof AcquireTimeoutError)
      response.writeHead(409).end('another request of this customer is being worked on\n');
    else if (error instanceof EngineError && error.retryable)
      response.writeHead(503, { 'retry-after': '1' }).end('try again later\n');
    else response.writeHead(500).end('not done\n');
  }
}

const server = createServer((request, response) => {
  const [, customer] = /^\/pay\/([\w-]+)$/.exec(request.url ?? '') ?? [];
  if (request.method === 'POST' && customer !== undefined) void pay(customer, response);
  else response.writeHead(404).end();
});
server.listen(Number(process.env.PORT ?? 8080), '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') console.log(`listening on http://127.0.0.1:${address?.port}`);
});

// Requests under way are answered first: close() would end their holds.
process.once('SIGTERM', () => server.close(() => void locks.close()));
