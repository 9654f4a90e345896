import type { Library } from './library.ts';
import { etcdLibraries } from './etcd/libraries/index.ts';
import { redisLibraries } from './redis/libraries/index.ts';
import { sqlLibraries } from './sql/libraries/index.ts';
import { zooKeeperLibraries } from './zookeeper/libraries/index.ts';

/** Every library in every setting, for the processes that get its name. */
const libraries: readonly Library[] = [
  ...redisLibraries,
  ...sqlLibraries,
  ...zooKeeperLibraries,
  ...etcdLibraries,
];

export function libraryOf(name: string): Library {
  const found = libraries.find((library) => library.name === name);
  if (found === undefined) throw new RangeError(`there is no library ${name}`);
  return found;
}
