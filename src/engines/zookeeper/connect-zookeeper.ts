import { settingsOverAddress } from '../../kernels/address/settings-over-address.ts';
import { systemClock, systemRandom } from '../../core/time/clock.ts';
import type { ZooKeeperSynchronizers } from './index.ts';
import { assembleZooKeeper } from './open-zookeeper.ts';
import { parseZooKeeperAddress } from './zookeeper-address.ts';
import { checkZooKeeperOptions, type ZooKeeperSettings } from './zookeeper-options.ts';

/** Opens a session by an address: servers that cannot be reached, or refuse the credentials, fail here. */
export async function connectZooKeeper(
  url: string,
  settings: ZooKeeperSettings = {},
): Promise<ZooKeeperSynchronizers> {
  const address = parseZooKeeperAddress(url);
  // What the program says wins over the address. Checked first: `servers` is no setting, and a misspelt one would be dropped silently.
  checkZooKeeperOptions({ ...settings, servers: address.servers });
  const tls = address.tls ?? settings.tls;
  const options = {
    ...settingsOverAddress(address, settings),
    ...(tls !== undefined && { tls: { ...address.tls, ...settings.tls } }),
  };
  const engine = assembleZooKeeper(options, { clock: systemClock, random: systemRandom });
  try {
    await engine.ready();
    return engine.locks;
  } catch (error) {
    await engine.locks.close();
    throw error;
  }
}
