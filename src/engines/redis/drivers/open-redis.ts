import { systemClock } from '../../../core/time/clock.ts';
import { EngineError } from '../../../spi/errors.ts';
import type { RedisDriver } from '../driver.ts';
import { type ClientModule, loadClientModule } from './client-module.ts';
import { openIoredis } from './ioredis/open-ioredis.ts';
import { openNodeRedis } from './node-redis/open-node-redis.ts';
import type { Opening } from './opened-connections.ts';
import { asError } from './outcomes.ts';
import { isAnswer } from './cluster/redirect.ts';
import { sayingOf } from '../requests/sayings.ts';
import { isAboutTls, troubleAt } from './connection-trouble.ts';
import { parseRedisAddress, type RedisAddress } from './redis-address.ts';

/** So long a server may take to come up. Later, when it has been there once, it is waited for without end. */
const PATIENCE_MS = 3_000;
/** After so long it is worth a look why. */
const DOUBT_MS = 300;

/**
 * Opens clients of our own by an address: `redis://`, `redis-sentinel://` and `redis-cluster://`, and the same with TLS,
 * `rediss://` and so on.
 */
export async function openRedis(
  url: string,
  load: () => Promise<ClientModule> = loadClientModule,
): Promise<RedisDriver> {
  const address = parseRedisAddress(url);
  const found = await load();
  const opening =
    found.kind === 'node-redis' ? openNodeRedis(found.module, address) : openIoredis(found.module, address);
  try {
    return await connectSoon(opening, () => troubleAt(address.hosts[0], address.tls));
  } catch (error) {
    await opening.abandon();
    throw unreachable(address, asError(error));
  }
}

/**
 * Rejects with what the client says about it when patience is over, and at once when a server has answered with no, or
 * when `why` finds out what the client does not say.
 */
function connectSoon(opening: Opening, why: () => Promise<Error | undefined>): Promise<RedisDriver> {
  return new Promise((resolve, reject) => {
    let last: unknown = new Error(`There was no answer within ${PATIENCE_MS} ms.`);
    opening.emitter.on('error', (error: unknown) => {
      last = rootOf(error);
      if (isAnswer(last) && !asError(last).message.startsWith('LOADING')) reject(asError(last));
    });
    const timer = systemClock.timer(PATIENCE_MS, () => reject(asError(last)));
    timer.keepsAlive(true);
    const doubt = systemClock.timer(DOUBT_MS, () => void why().then((reason) => reason && reject(reason)));
    opening
      .connect()
      .then(resolve, (error: unknown) => reject(asError(rootOf(error))))
      .finally(() => {
        timer.cancel();
        doubt.cancel();
      });
  });
}

/** What a server of a cluster has said, which the client reports of all of them together. */
function rootOf(error: unknown): unknown {
  return error instanceof Error && 'lastNodeError' in error && error.lastNodeError
    ? error.lastNodeError
    : error;
}

/** With the words of the reason and not the reason itself: a client's error may have the command in it, password and all. */
function unreachable({ hosts }: RedisAddress, { message }: Error): EngineError {
  const where = hosts.map(({ host, port }) => `${host}:${port}`).join(', ');
  const cause = new Error(message);
  const saying = sayingOf(message, 'cluster');
  const why = saying === undefined ? message : `${saying.text} The server said: ${message}`;
  return new EngineError(
    `redis: cannot connect to ${where}: ${why}`,
    { resource: 'connect', engine: 'redis' },
    {
      cause,
      retryable: saying?.retryable ?? (!isAnswer(cause) && !isAboutTls(message)),
    },
  );
}
