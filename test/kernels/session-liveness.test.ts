import { expect, test } from 'vitest';
import { SessionLiveness, type SessionNews } from '../../src/kernels/session-liveness.ts';
import type { LivenessNews } from '../../src/spi/engine/liveness.ts';

const subject = { resource: 'store()', engine: 'store' };

function deferred<T>() {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<T>((...settle) => {
    [resolve, reject] = settle;
  });
  return { promise, resolve, reject };
}

/** A client whose session opens, speaks and fails when the test says so. */
class ScriptedClient {
  readonly opening = deferred<string>();
  closes = 0;
  say: (news: SessionNews) => void = () => undefined;

  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  ready(): Promise<string> {
    return this.opening.promise;
  }

  onStatus(heard: (news: SessionNews) => void): void {
    this.say = heard;
  }

  async close(): Promise<void> {
    this.closes += 1;
  }
}

class ScriptedLiveness extends SessionLiveness<ScriptedClient, string> {}

function openScript() {
  const clients: ScriptedClient[] = [];
  const granted: string[] = [];
  const news: LivenessNews[] = [];
  const connect = (): ScriptedClient => {
    const client = new ScriptedClient(`session ${clients.length + 1}`);
    clients.push(client);
    return client;
  };
  const liveness = new ScriptedLiveness(
    { connect, subject, onGranted: (name) => granted.push(name) },
    {
      noSession: 'there is none.',
      sessionOf: ({ name }) => ({ name, timeoutMs: 1000 }),
      explain: (error) => new Error('explained', { cause: error }),
    },
  );
  liveness.follow((one) => news.push(one));
  return { liveness, clients, granted, news };
}

test('each proof is reported with the moment that the client names, and callers share one opening', async () => {
  const { liveness, clients, granted, news } = openScript();
  const opening = [liveness.open(), liveness.open()];
  clients[0]!.say({ state: 'connected', provenAt: 7 });
  clients[0]!.opening.resolve('granted');
  for (const one of opening) await one;
  expect(clients).toHaveLength(1);
  expect(granted).toEqual(['granted']);
  expect(news).toEqual([{ kind: 'connected', session: 'session 1', sentAt: 7, timeoutMs: 1000 }]);
  expect(liveness.session).toBe('session 1');
});

test('what a client says that was given up ends no session that came after it', async () => {
  const { liveness, clients, news } = openScript();
  void liveness.open();
  liveness.abandon();
  void liveness.open();
  clients[0]!.say({ state: 'lost' });
  clients[0]!.say({ state: 'connected', provenAt: 7 });
  expect(news).toEqual([]);
  expect(liveness.client(subject)).toBe(clients[1]);
  expect(clients.map(({ closes }) => closes)).toEqual([1, 0]);
});

test('the end of a session is news once, and the next call opens another one', async () => {
  const { liveness, clients, news } = openScript();
  void liveness.open();
  clients[0]!.say({ state: 'lost' });
  clients[0]!.say({ state: 'lost' });
  expect(news).toEqual([{ kind: 'lost' }]);
  expect(clients[0]!.closes).toBe(1);
  expect(() => liveness.client(subject)).toThrow('store(): there is none.');
  void liveness.open();
  expect(liveness.client(subject)).toBe(clients[1]);
});

test('an opening that fails is explained, leaves no client behind, and is not the last', async () => {
  const { liveness, clients } = openScript();
  const opening = liveness.open();
  clients[0]!.opening.reject(new Error('no answer'));
  await expect(opening).rejects.toThrow('explained');
  expect(clients[0]!.closes).toBe(1);
  expect(liveness.session).toBeUndefined();
  void liveness.open();
  expect(clients).toHaveLength(2);
});

test('an opening that fails late drops no client that came after it', async () => {
  const { liveness, clients } = openScript();
  const opening = liveness.open();
  liveness.abandon();
  void liveness.open();
  clients[0]!.opening.reject(new Error('closed'));
  await expect(opening).rejects.toThrow('explained');
  expect(liveness.client(subject)).toBe(clients[1]);
});

test('a session that was closed makes no news', async () => {
  const { liveness, clients, news } = openScript();
  void liveness.open();
  await liveness.close();
  clients[0]!.say({ state: 'lost' });
  expect(news).toEqual([]);
  expect(clients[0]!.closes).toBe(1);
});
