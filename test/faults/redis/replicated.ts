import { type RedisReplication, startRedisReplication } from '../../fixtures/redis/redis-replication.ts';
import type { RedisServer } from '../../fixtures/redis/redis-server.ts';
import { waitFor } from '../../fixtures/wait-for.ts';

/** A master and two replicas that confirm: one is linked before it has told how far it has got for the first time. */
export async function startConfirmingReplicas(): Promise<RedisReplication> {
  const replication = await startRedisReplication();
  const { master, replicas } = replication;
  await waitFor('both replicas confirm', async () => {
    await master.command('SET', 'step', 1);
    return (await master.command('WAIT', replicas.length, 100)) === replicas.length;
  });
  return replication;
}

/** After the master was killed: the first living replica takes its place, without the help of Sentinels. */
export async function promoteReplica(replication: RedisReplication): Promise<RedisServer> {
  replication.joinReplicas();
  const server = replication.replicas.find(({ isAlive }) => isAlive);
  if (server === undefined) throw new Error('No replica is left.');
  await server.command('REPLICAOF', 'NO', 'ONE');
  return server;
}
