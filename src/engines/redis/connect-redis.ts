import { openRedis } from './drivers/opening/open-redis.ts';
import type { RedisSynchronizers } from './index.ts';
import { openEngine } from './open-engine.ts';
import { checkOptions, type RedisSettings } from './redis-options.ts';

/** Opens an engine over connections of its own, which close with the engine object. */
export async function connectRedis(url: string, options: RedisSettings = {}): Promise<RedisSynchronizers> {
  // Before it opens a connection that it would have to close again.
  checkOptions(options);
  const driver = await openRedis(url);
  try {
    return openEngine(driver, options);
  } catch (error) {
    await driver.close();
    throw error;
  }
}
