import { systemClock } from '../../../../core/time/clock.ts';
import { EngineError } from '../../../../spi/errors.ts';
import type { RedisDriver } from '../../driver.ts';
import { type ClientModule, importersFor, loadClientModule } from './client-module.ts';
import { openIoredis } from '../ioredis/open-ioredis.ts';
import { openNodeRedis } from '../node-redis/open-node-redis.ts';
import type { Opening } from '../opened-connections.ts';
import { asError } from '../outcomes.ts';
import { isAnswer } from '../cluster/redirect.ts';
import { sayingOf } from '../../requests/sayings.ts';
import { findTrouble } from './find-trouble.ts';
import type { RedisAddress } from './redis-address.ts';
import { isError } from '../../../../spi/is-error.ts';

/** How long the first connection may take. Later reconnects retry without limit. */
const PATIENCE_MS = 3_000;
/** After this time without a connection, looks for the reason. */
const DOUBT_MS = 300;

/**
 * Opens clients of our own by an address.
 */
export async function openRedis(
  address: RedisAddress,
  load: () => Promise<ClientModule> = () => loadClientModule(importersFor(address.server)),
): Promise<RedisDriver> {
  const found = await load();
  const opening =
    found.kind === 'node-redis' ? openNodeRedis(found.module, address) : openIoredis(found.module, address);
  try {
    return await connectSoon(opening, () => findTrouble(address.hosts[0], address.tls));
  } catch (error) {
    await opening.abandon();
    throw unreachable(address, asError(error));
  }
}

/**
 * Connects within the patience. Rejects with the client's last error after that, and at once when a server has refused, or
 * when `why` finds a reason that the client does not report.
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

/** The error of one server, inside the error that a client reports for the whole cluster. */
function rootOf(error: unknown): unknown {
  return isError(error) && 'lastNodeError' in error && error.lastNodeError ? error.lastNodeError : error;
}

/** Copies the message of the reason and not the error itself: a client's error may contain the command with the password. */
function unreachable({ hosts }: RedisAddress, { message }: Error): EngineError {
  const where = hosts.map(({ host, port }) => `${host}:${port}`).join(', ');
  const cause = new Error(message);
  const saying = sayingOf(message, 'cluster');
  const why =
    saying === undefined || saying.text === message ? message : `${saying.text} The server said: ${message}`;
  return new EngineError(
    `redis: cannot connect to ${where}: ${why}`,
    { resource: 'connect', engine: 'redis' },
    {
      cause,
      retryable: saying?.retryable ?? !isAnswer(cause),
    },
  );
}
