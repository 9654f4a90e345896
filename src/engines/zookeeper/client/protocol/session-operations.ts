import { opCode, type Operation, readNothing } from './operation.ts';

/** The watches that `removeWatches` removes. `any` also removes a persistent one, on every server since 3.6. */
export const watcherType = { children: 1, data: 2, any: 3 } as const;

const ADD_WATCH_MODE = { persistent: 0, recursive: 1 } as const;
const LEAST_IDENTITY_BYTES = 8;
const AUTH_TYPE = 0;

/** A proof of identity for every new connection, for example `digest` with `user:password`. */
export interface AuthInfo {
  /** The scheme of the credentials, for example `digest`. */
  readonly scheme: string;
  /** The credentials, for example `user:password`. Sent to the servers, and shown in no error or log. */
  readonly secret: string | Uint8Array;
}

export interface Identity {
  readonly scheme: string;
  readonly id: string;
}

/** The paths of all watches that the server has to set, by kind. */
export interface WatchedPaths {
  readonly data: readonly string[];
  readonly exists: readonly string[];
  readonly children: readonly string[];
  readonly persistent: readonly string[];
  readonly recursive: readonly string[];
}

export function authenticate({ scheme, secret }: AuthInfo): Operation<void> {
  return {
    code: opCode.auth,
    what: `auth ${scheme}`,
    write: (writer) => {
      writer.int(AUTH_TYPE);
      writer.string(scheme);
      writer.buffer(Buffer.from(secret));
    },
    read: readNothing,
  };
}

export function exchangeSaslToken(token: Uint8Array): Operation<Buffer | null> {
  return {
    code: opCode.sasl,
    what: 'sasl',
    write: (writer) => writer.buffer(token),
    read: (reader) => reader.buffer(),
  };
}

/**
 * Sets watches again on a new connection. The server fires at once those whose node has changed since `sinceZxid`. Uses the
 * older operation where it can: only servers since 3.6 know persistent watches.
 */
export function setWatches(sinceZxid: bigint, paths: WatchedPaths): Operation<void> {
  const hasPersistent = paths.persistent.length + paths.recursive.length > 0;
  return {
    code: hasPersistent ? opCode.setWatches2 : opCode.setWatches,
    what: 'setWatches',
    write: (writer) => {
      const write = (path: string): void => writer.string(path);
      writer.long(sinceZxid);
      writer.vector(paths.data, write);
      writer.vector(paths.exists, write);
      writer.vector(paths.children, write);
      if (!hasPersistent) return;
      writer.vector(paths.persistent, write);
      writer.vector(paths.recursive, write);
    },
    read: readNothing,
  };
}

export function addWatch(path: string, mode: keyof typeof ADD_WATCH_MODE): Operation<void> {
  return {
    code: opCode.addWatch,
    what: `addWatch ${path}`,
    write: (writer) => {
      writer.string(path);
      writer.int(ADD_WATCH_MODE[mode]);
    },
    read: readNothing,
  };
}

export function removeWatches(path: string, type: number): Operation<void> {
  return {
    code: opCode.removeWatches,
    what: `removeWatches ${path}`,
    write: (writer) => {
      writer.string(path);
      writer.int(type);
    },
    read: readNothing,
  };
}

export function whoAmI(): Operation<Identity[]> {
  return {
    code: opCode.whoAmI,
    what: 'whoAmI',
    write: readNothing,
    read: (reader) =>
      reader.vector(LEAST_IDENTITY_BYTES, () => ({ scheme: reader.string(), id: reader.string() })),
  };
}

export function closeSession(): Operation<void> {
  return { code: opCode.closeSession, what: 'closeSession', write: readNothing, read: readNothing };
}
