import { settingsOverAddress } from '../../kernels/address/settings-over-address.ts';
import { openRedis } from './drivers/opening/open-redis.ts';
import { parseRedisAddress } from './drivers/opening/redis-address.ts';
import type { RedisSynchronizers } from './index.ts';
import { openEngine } from './open-engine.ts';
import { checkedSettings, checkOptions, type RedisSettings } from './redis-options.ts';

/** Opens an engine over connections of its own, which close with the engine object. */
export async function connectRedis(url: string, options: RedisSettings = {}): Promise<RedisSynchronizers> {
  // Before it opens a connection that it would have to close again.
  checkOptions(options);
  const address = parseRedisAddress(url);
  const settings = settingsOverAddress(address.settings, options);
  checkedSettings(settings);
  const driver = await openRedis(address);
  try {
    return openEngine(driver, settings);
  } catch (error) {
    await driver.close();
    throw error;
  }
}
