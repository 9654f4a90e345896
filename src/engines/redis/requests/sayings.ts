/** An error reply about the connection or the server, explained with what to do. */
export interface Saying {
  readonly text: string;
  /** Whether the same request may go through later, with nothing changed on this side. */
  readonly retryable: boolean;
}

/** What `findTrouble` says of a port that differs from the client about TLS. */
export const NO_TLS =
  'the server speaks no TLS on this port. Use redis:// instead of rediss:// (a client without `tls`), or the port that its tls-port names.';
export const ONLY_TLS =
  'the server speaks TLS on this port. Use rediss:// instead of redis:// (a client with `tls`).';

const sayings: readonly (readonly [says: RegExp, saying: Saying])[] = [
  [
    /max number of clients/,
    {
      text: 'Redis takes no more connections, its maxclients is reached. Close connections that are not needed or raise maxclients, then try again.',
      retryable: true,
    },
  ],
  [
    // The reply instead of NOAUTH when the first request of a connection has many arguments.
    /unauthenticated (multi)?bulk length|^NOAUTH|^WRONGPASS/,
    {
      text: 'Redis refused the user or password of this connection, or was given none. Give them to the client or put them into the address.',
      retryable: false,
    },
  ],
  [
    // Servers before 7.0 cannot parse the shebang line of a script.
    /compiling script.*near '#'/,
    {
      text: 'this server is older than Redis 7.0, which the scripts need. Use Redis 7.0 or newer.',
      retryable: false,
    },
  ],
];

/** Whether the client and the port differ about TLS: no later attempt goes better. */
export function isAboutTls(message: string): boolean {
  return message === NO_TLS || message === ONLY_TLS;
}

const ELSEWHERE: Saying = {
  text: 'the server is one of a cluster, and the client is for a single server. Pass a cluster of your client library (createCluster, Cluster), or connect to redis-cluster://.',
  retryable: false,
};

/** The explanation of an error reply. MOVED and ASK count only outside of a cluster: a cluster's client follows them. */
export function sayingOf(message: string, topology: string): Saying | undefined {
  if (topology !== 'cluster' && /^(MOVED|ASK) \d/.test(message)) return ELSEWHERE;
  if (isAboutTls(message)) return { text: message, retryable: false };
  return sayings.find(([says]) => says.test(message))?.[1];
}
