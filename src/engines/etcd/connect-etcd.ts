import { systemClock, systemRandom } from '../../core/time/clock.ts';
import { settingsOverAddress } from '../../kernels/address/settings-over-address.ts';
import { parseEtcdAddress } from './etcd-address.ts';
import { checkEtcdOptions, type EtcdSettings } from './etcd-options.ts';
import type { EtcdSynchronizers } from './index.ts';
import { assembleEtcd } from './open-etcd.ts';

/** Opens a session by an address: members that cannot be reached, or refuse the user, fail here. */
export async function connectEtcd(url: string, settings: EtcdSettings = {}): Promise<EtcdSynchronizers> {
  const address = parseEtcdAddress(url);
  // What the program says wins over the address. Checked first: `endpoints` is no setting, and a misspelt one would be dropped silently.
  checkEtcdOptions({ ...settings, endpoints: address.endpoints });
  const tls = address.tls ?? settings.tls;
  const options = {
    ...settingsOverAddress(address, settings),
    ...(tls !== undefined && { tls: { ...address.tls, ...settings.tls } }),
  };
  const { locks, ready } = assembleEtcd(options, { clock: systemClock, random: systemRandom });
  try {
    await ready();
    return locks;
  } catch (error) {
    await locks.close();
    throw error;
  }
}
