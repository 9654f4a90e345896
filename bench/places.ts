import { startDurableEtcd } from './etcd/place.ts';
import { nowhere } from './memory/nowhere.ts';
import type { Place } from './place.ts';
import { startRedis } from './redis/server.ts';
import { makeFolder, startDurableMariadb, startDurablePostgres } from './sql/places.ts';
import { startDurableZooKeeper } from './zookeeper/place.ts';

/** What the trials of each engine need. */
export const places: Readonly<Record<string, () => Promise<Place>>> = {
  memory: nowhere,
  redis: startRedis,
  sqlite: makeFolder,
  postgres: startDurablePostgres,
  mysql: startDurableMariadb,
  zookeeper: startDurableZooKeeper,
  etcd: startDurableEtcd,
};
