import { openRedis } from './drivers/open-redis.ts';
import type { RedisSynchronizers } from './index.ts';
import { openEngine } from './open-engine.ts';
import { checkOptions, type RedisSettings } from './redis-options.ts';

/** Opens connections of our own, which go when the engine object is closed. */
export async function connectRedis(url: string, options: RedisSettings = {}): Promise<RedisSynchronizers> {
  // Before anything is opened that would have to be closed again.
  checkOptions(options);
  const driver = await openRedis(url);
  try {
    return openEngine(driver, options);
  } catch (error) {
    await driver.close();
    throw error;
  }
}
