import type { ConnectionOptions } from 'node:tls';
import { shown } from '../../core/arguments.ts';
import { checkEngineOptions } from '../../kernels/engine-options.ts';
import { checkFactoryArgument } from '../../kernels/factory-argument.ts';
import { checkAddress, checkMs } from '../../kernels/session-settings.ts';
import type { EngineOptions } from '../../spi/api/engine-options.ts';
import { argumentTypeError } from '../../spi/errors.ts';
import type { AccessRule } from './client/protocol/access-rule.ts';
import type { AuthInfo } from './client/protocol/session-operations.ts';
import type { SaslUser } from './client/session/sasl-digest-md5.ts';
import { parseConnectionString } from './client/session/server-list.ts';
import { isNodePath } from './layout/node-path.ts';

/** The options besides the servers. */
export interface ZooKeeperSettings extends EngineOptions {
  /**
   * How long the servers keep what a client holds after its last sign of life. A server grants what its settings permit, by default
   * 4 to 40 s; where that is another time, a warning says so. Default: 30 000.
   */
  readonly sessionMs?: number;
  /** How long the first connection of a session may take, over all servers. Default: 10 000. */
  readonly connectMs?: number;
  /** The same as Curator's `usingNamespace`: a folder in front of every path, created at first use. */
  readonly namespace?: string;
  /** Credentials, for example `{ scheme: 'digest', secret: 'user:password' }`; presented again on every connection. */
  readonly auth?: readonly AuthInfo[];
  /** A user of the servers' JAAS file, by DIGEST-MD5. */
  readonly sasl?: SaslUser;
  /** The access list of every node that is created. All clients need to read, create and delete. Default: open to all, as in Curator. */
  readonly access?: readonly AccessRule[];
  /** Options of `tls.connect`; with them the connection is encrypted. */
  readonly tls?: ConnectionOptions;
}

/** The options of `zookeeper()`: the servers, and the settings. */
export interface ZooKeeperOptions extends ZooKeeperSettings {
  /** `host:2181,host2:2181/chroot`. The chroot has to be there. */
  readonly servers: string;
}

const ZOOKEEPER_OPTIONS: readonly (keyof Omit<ZooKeeperOptions, keyof EngineOptions>)[] = [
  'servers',
  'sessionMs',
  'connectMs',
  'namespace',
  'auth',
  'sasl',
  'access',
  'tls',
];

/** The tick of a server is 10 ms or more, and a session has two of them. */
const SHORTEST_SESSION_MS = 100;
const LONGEST_SESSION_MS = 3_600_000;
const SHORTEST_CONNECT_MS = 100;
const LONGEST_CONNECT_MS = 3_600_000;

/** Refuses misspelt options, and values that no server could be asked for. */
export function checkZooKeeperOptions(options: ZooKeeperOptions): void {
  checkFactoryArgument(options, {
    engine: 'zookeeper',
    option: 'servers',
    what: 'a string such as "host:2181,host2:2181"',
  });
  checkEngineOptions(options, ZOOKEEPER_OPTIONS, 'zookeeper');
  const subject = { resource: 'zookeeper()', engine: 'zookeeper' };
  const { servers, sessionMs, connectMs, namespace } = options;
  checkAddress('servers', servers, 'host:2181,host2:2181/chroot', parseConnectionString, subject);
  checkMs('sessionMs', sessionMs, SHORTEST_SESSION_MS, LONGEST_SESSION_MS, subject);
  checkMs('connectMs', connectMs, SHORTEST_CONNECT_MS, LONGEST_CONNECT_MS, subject);
  if (namespace !== undefined && (typeof namespace !== 'string' || !isNodePath(`/${namespace}`)))
    throw argumentTypeError(
      `${subject.resource}: namespace must be a path without a slash at its ends, not ${shown(namespace)}.`,
      subject,
    );
}
