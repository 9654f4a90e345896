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
 * Says on a new connection who we are. A server forgets it with the connection, so this comes before every other request: one
 * that overtook it would be refused for want of a permission that the session has.
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

/** The server reads it before all that is sent behind it, so its answer need not be waited for. */
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

/** The end of the connection says nothing about the credentials; the next one presents them again. */
function isRefusal(error: Error | undefined): error is Error {
  return error !== undefined && !(error instanceof ZooKeeperError && error.code === 'CONNECTION_LOSS');
}
