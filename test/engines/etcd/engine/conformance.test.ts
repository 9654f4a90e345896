import { enableUsers } from '../../../fixtures/etcd/enable-users.ts';
import { startEtcd } from '../../../fixtures/etcd/etcd-server.ts';
import { testConformance } from './test-conformance.ts';

const user = { user: 'ann', password: 'a password' };
const root = { name: 'root', password: 'root' };

// As a user that has the role of the page of the engine, and no other right.
testConformance(
  'etcd, one member, in the role of a locking program',
  async () => {
    const server = await startEtcd({ argv: ['--bcrypt-cost', '4'] });
    await enableUsers(server, user, '/holdfast/');
    const { token } = await server.ask('auth/authenticate', root);
    const ask = (path: string, body?: object) => server.ask(path, body, String(token));
    return { servers: [{ port: server.port, ask }], stop: () => server.stop() };
  },
  user,
);
