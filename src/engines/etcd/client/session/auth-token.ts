import { etcdCalls } from '../messages/etcd-messages.generated.ts';
import { EtcdError } from '../transport/etcd-error.ts';
import type { CallMetadata, GrpcConnection } from '../transport/grpc-connection.ts';

/** A user of etcd. */
export interface EtcdUser {
  /** The name of the user. */
  readonly user: string;
  /** Sent to a member once for each token. */
  readonly password: string;
}

const NONE: CallMetadata = {};

/** The proof of who the client is, which every call carries. The server forgets it when it was not used for a while. */
export class AuthToken {
  readonly #user: EtcdUser | undefined;
  #metadata: CallMetadata = NONE;
  #fetching: Promise<CallMetadata> | undefined;

  constructor(user: EtcdUser | undefined) {
    this.#user = user;
  }

  /** What calls carry; fetched with the first one. */
  get(connection: GrpcConnection, timeoutMs: number): Promise<CallMetadata> | CallMetadata {
    if (this.#user === undefined || this.#metadata !== NONE) return this.#metadata;
    return this.renew(connection, timeoutMs, NONE);
  }

  /** Another one than `refused`. Calls that were refused at the same time fetch one for all. */
  renew(
    connection: GrpcConnection,
    timeoutMs: number,
    refused: CallMetadata,
  ): Promise<CallMetadata> | CallMetadata {
    if (this.#user === undefined) return NONE;
    if (this.#metadata !== refused) return this.#metadata;
    this.#fetching ??= this.#fetch(this.#user, connection, timeoutMs).finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  /** Whether a call was refused for its token, and not carried out: another token may do. */
  isRefused(error: unknown): boolean {
    if (this.#user === undefined || !(error instanceof EtcdError)) return false;
    return (
      error.code === 'UNAUTHENTICATED' ||
      // The users or roles have changed since the token was given; or the token was not sent, before they were switched on.
      /user name is empty|revision of auth store is old/.test(error.message)
    );
  }

  async #fetch(
    { user: name, password }: EtcdUser,
    connection: GrpcConnection,
    timeoutMs: number,
  ): Promise<CallMetadata> {
    try {
      const { token } = await connection.call(etcdCalls.authenticate, { name, password }, timeoutMs, NONE);
      this.#metadata = { token };
    } catch (error) {
      // Users are not switched on at this server: what is said to it is believed.
      if (!(error instanceof EtcdError) || !error.message.includes('authentication is not enabled'))
        throw error;
      this.#metadata = {};
    }
    return this.#metadata;
  }
}
