import type { Random } from '../../../../spi/clock.ts';
import { encodeRequest } from '../protocol/operation.ts';
import { type AuthInfo, authenticate, exchangeSaslToken } from '../protocol/session-operations.ts';
import { ZooKeeperError } from '../protocol/zookeeper-error.ts';
import { answerChallenge, type SaslUser } from './sasl-digest-md5.ts';
import { reservedXid, type ServerConnection } from './server-connection.ts';

export interface Credentials {
  readonly auth: readonly AuthInfo[];
  readonly sasl: SaslUser | undefined;
}

const NOTHING = Buffer.alloc(0);

/**
 * Presents the credentials on a new connection. A server forgets them with the connection, so they go before every other
 * request: a request that overtook them would be refused although the session has the permission.
 */
export function presentCredentials(
  connection: ServerConnection,
  { auth, sasl }: Credentials,
  random: Random,
  onAccepted: () => void,
  onRefused: (error: Error) => void,
): void {
  for (const each of auth) presentAuth(connection, each, onRefused);
  if (sasl) startSasl(connection, sasl, random, onAccepted, onRefused);
  else onAccepted();
}

/** Does not wait for the answer: the server reads the credentials before all later requests. */
function presentAuth(connection: ServerConnection, auth: AuthInfo, onRefused: (error: Error) => void): void {
  const operation = authenticate(auth);
  const frame = encodeRequest(operation);
  connection.sendReserved(reservedXid.auth, frame, operation.what, (_reply, error) => {
    if (isRefusal(error)) onRefused(error);
  });
}

function startSasl(
  connection: ServerConnection,
  user: SaslUser,
  random: Random,
  onAccepted: () => void,
  onRefused: (error: Error) => void,
): void {
  const exchange = (token: Uint8Array, then: (answer: Buffer) => void): void => {
    const operation = exchangeSaslToken(token);
    connection.send(encodeRequest(operation), operation.what, (reply, error) => {
      if (reply) then(operation.read(reply) ?? NOTHING);
      else if (isRefusal(error)) onRefused(error);
    });
  };
  exchange(NOTHING, (challenge) => {
    exchange(answerChallenge(challenge, user, random.id()), onAccepted);
  });
}

/** Whether the server refused the credentials. The end of a connection is no refusal; the next one presents them again. */
function isRefusal(error: Error | undefined): error is Error {
  return error !== undefined && !(error instanceof ZooKeeperError && error.code === 'CONNECTION_LOSS');
}
