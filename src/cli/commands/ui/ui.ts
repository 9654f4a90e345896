import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { systemRandom } from '../../../core/time/clock.ts';
import { readDuration } from '../../duration.ts';
import { EXIT } from '../../exit-codes.ts';
import { openLocks } from '../../open-locks.ts';
import { keepSecret, print, say } from '../../output/output.ts';
import { UsageError } from '../../usage-error.ts';
import type { Command, GivenArguments } from '../command.ts';
import { withSignals } from '../run/with-signals.ts';

const USUAL_HOST = '127.0.0.1';
const USUAL_PORT = '4765';
const LEAST_MS = 100;
/** The names by which a browser of this machine asks for a page of this machine. */
const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];
/** Addresses that stand for all of the machine: no browser can ask for them. */
const EVERYWHERE: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** Serves the dashboard until a signal ends it. */
export const ui: Command = (given, address) => {
  const place = readListenAddress(given);
  const { prefix, everyMs } = readView(given);
  const isLoopback = ['localhost', '127.0.0.1', '::1'].includes(place.host);
  const mayRelease = given.options.has('allow-release');
  // Without one, every program that reaches this machine could read the names of all locks.
  const token = mayRelease || !isLoopback ? systemRandom.id() : undefined;
  return withSignals(
    () => openLocks(address),
    async (locks, { waiting }) => {
      const { dashboard } = await import('../../../dashboard/index.ts');
      const board = dashboard(locks, {
        prefix,
        everyMs,
        ...(isLoopback && { hosts: LOOPBACK_NAMES }),
        ...(token !== undefined && mayRelease && { allowRelease: { token } }),
        ...(token !== undefined && !isLoopback && { viewToken: token }),
      });
      const server = createServer(board.node);
      await listen(server, place);
      const { port } = server.address() as AddressInfo;
      // In the fragment, which a browser sends to no server, and which is in no log. This line is the only place that shows it.
      const fragment = token === undefined ? '' : `#token=${token}`;
      print(`http://${shownHost(place.host)}:${port}/${fragment}`);
      if (token !== undefined) keepSecret(token);
      say(
        `${mayRelease ? 'ends holds by force, with the token of this address' : 'only reads'}; Ctrl-C ends it`,
      );
      await untilAborted(waiting);
      board.close();
      server.close();
      server.closeAllConnections();
      return EXIT.ok;
    },
  );
};

interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

function readListenAddress({ options }: GivenArguments): ListenAddress {
  const port = options.get('port') ?? USUAL_PORT;
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new UsageError(`--port must be a number from 0 to 65535, not "${port}".`);
  const host = options.get('host') ?? USUAL_HOST;
  if (!/^[\w.:-]+$/.test(host)) throw new UsageError('--host must be an address or a name of this machine.');
  return { host, port: Number(port) };
}

function readView({ words, options }: GivenArguments): { readonly prefix: string; readonly everyMs: number } {
  const [prefix = '', more] = words;
  if (more !== undefined) throw new UsageError('ui takes one prefix at most.');
  const every = options.get('every');
  return {
    prefix,
    everyMs: every === undefined ? 1_000 : Math.max(LEAST_MS, readDuration(every, '--every')),
  };
}

function shownHost(host: string): string {
  const named = EVERYWHERE.has(host) ? hostname() : host;
  return named.includes(':') ? `[${named}]` : named;
}

function listen(server: Server, { host, port }: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new UsageError(`another program listens on port ${port}. --port 0 takes a free one.`)
          : new UsageError(`cannot listen on ${host}, port ${port}: ${error.message}.`),
      ),
    );
    server.listen(port, host, resolve);
  });
}

/** A signal is how the user ends it: that is no failure. */
function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
