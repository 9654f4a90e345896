import type { ConnectionOptions } from 'node:tls';
import { checkEngineOptions } from '../../kernels/engine-options.ts';
import { checkFactoryArgument } from '../../kernels/factory-argument.ts';
import { checkAddress, checkMs } from '../../kernels/session-settings.ts';
import type { EngineOptions } from '../../spi/api/engine-options.ts';
import { argumentTypeError, type ErrorSubject } from '../../spi/errors.ts';
import type { EtcdUser } from './client/session/auth-token.ts';
import { parseEndpoints } from './client/transport/endpoints.ts';

/** The options besides the endpoints. */
export interface EtcdSettings extends EngineOptions {
  /**
   * How long the server keeps what a client holds after its last sign of life: the lease of etcd, in whole seconds. A server grants no
   * less than one and a half of its election time-outs; where it grants another time, a warning says so. Default: 30 000.
   */
  readonly sessionMs?: number;
  /** How long the first connection and the lease may take, over all endpoints. Default: 10 000. */
  readonly connectMs?: number;
  /** In front of every key, also of names that begin with a slash. */
  readonly keyPrefix?: string;
  /** The user, where the server asks for one. Tokens are renewed when the server has forgotten them. */
  readonly auth?: EtcdUser;
  /** Options of `tls.connect`; with them the connection is encrypted. A client certificate is `cert` and `key`. */
  readonly tls?: ConnectionOptions;
}

/** The options of `etcd()`: the endpoints, and the settings. */
export interface EtcdOptions extends EtcdSettings {
  /** `host:2379,host2:2379`: the members of one cluster. */
  readonly endpoints: string;
}

const ETCD_OPTIONS: readonly (keyof Omit<EtcdOptions, keyof EngineOptions>)[] = [
  'endpoints',
  'sessionMs',
  'connectMs',
  'keyPrefix',
  'auth',
  'tls',
];

/** The lease of a session that names none. */
export const USUAL_SESSION_MS = 30_000;
const SHORTEST_SESSION_MS = 1000;
const LONGEST_SESSION_MS = 3_600_000;
const SHORTEST_CONNECT_MS = 100;
const LONGEST_CONNECT_MS = 3_600_000;

/** Refuses misspelt options, and values that no server could be asked for. */
export function checkEtcdOptions(options: EtcdOptions): void {
  checkFactoryArgument(options, {
    engine: 'etcd',
    option: 'endpoints',
    what: 'a string such as "host:2379,host2:2379"',
  });
  checkEngineOptions(options, ETCD_OPTIONS, 'etcd');
  const subject = { resource: 'etcd()', engine: 'etcd' };
  const { endpoints, sessionMs, connectMs, keyPrefix, auth } = options;
  checkAddress('endpoints', endpoints, 'host:2379,host2:2379', parseEndpoints, subject);
  checkMs('sessionMs', sessionMs, SHORTEST_SESSION_MS, LONGEST_SESSION_MS, subject);
  checkMs('connectMs', connectMs, SHORTEST_CONNECT_MS, LONGEST_CONNECT_MS, subject);
  checkText('keyPrefix', keyPrefix, subject);
  if (auth !== undefined) {
    checkText('auth.user', auth.user, subject);
    checkText('auth.password', auth.password, subject);
  }
}

/** The value is not shown: it may be a password. */
function checkText(name: string, text: unknown, subject: ErrorSubject): void {
  if (text !== undefined && typeof text !== 'string')
    throw argumentTypeError(`${subject.resource}: ${name} must be a string.`, subject);
}
