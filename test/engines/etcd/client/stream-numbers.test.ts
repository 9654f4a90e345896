import { once } from 'node:events';
import { connect, type ClientHttp2Session } from 'node:http2';
import { expect, test } from 'vitest';
import { systemClock } from '../../../../src/core/time/clock.ts';
import { etcdCalls } from '../../../../src/engines/etcd/client/messages/etcd-messages.generated.ts';
import { GrpcConnection } from '../../../../src/engines/etcd/client/transport/grpc-connection.ts';
import { FakeMember } from '../../../fixtures/etcd/fake-member.ts';

const LAST_NUMBER = 2 ** 31 - 1;

/** As after 2^30 calls: Node's own handle is the only place that lets a number be set. */
function setNextNumber(session: ClientHttp2Session, id: number): void {
  const symbol = Object.getOwnPropertySymbols(session).find(({ description }) => description === 'kHandle')!;
  const handles = session as unknown as Record<symbol, { setNextStreamID(id: number): void }>;
  handles[symbol]!.setNextStreamID(id);
}

test('a connection that has had all its stream numbers ends, and the call may be sent over the next one', async () => {
  using member = await FakeMember.start();
  const session = connect(`http://${member.address}`);
  await once(session, 'remoteSettings');
  const connection = new GrpcConnection(member.address, session, systemClock);
  let ends = 0;
  connection.onEnd = () => ends++;
  const call = () => connection.call(etcdCalls.range, { key: Buffer.from('key') }, 5000, {});
  setNextNumber(session, LAST_NUMBER);
  await call();
  expect(connection.isUsable).toBe(true);
  await expect(call()).rejects.toMatchObject({ code: 'NOT_SENT' });
  expect(connection.isUsable).toBe(false);
  expect(ends).toBe(1);
  if (!session.destroyed) await once(session, 'close');
});
