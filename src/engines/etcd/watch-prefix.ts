import type { Unwatch } from '../../spi/engine/protocol.ts';
import { watchCreateRequestFilterType } from './client/messages/etcd-messages.generated.ts';
import type { EtcdClient } from './client/session/etcd-client.ts';
import { endOfPrefix } from './layout/etcd-keys.ts';

/** Calls after every change of a key that begins with this one; or only when one has gone. */
export async function watchPrefix(
  client: EtcdClient,
  prefix: string,
  changed: () => void,
  only?: 'deleted',
): Promise<Unwatch> {
  const key = Buffer.from(prefix);
  const watch = client.watch({
    key,
    rangeEnd: endOfPrefix(key),
    ...(only && { filters: [watchCreateRequestFilterType.NOPUT] }),
    onEvents: changed,
    onGap: changed,
  });
  await watch.ready;
  return () => watch.end();
}
