import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEtcd } from '../../test/fixtures/etcd/etcd-server.ts';
import type { Place } from '../place.ts';

/**
 * One member that writes to the disk before it answers, with the times that it has when no setting was changed. The tests keep theirs in
 * memory, which makes a write faster, so that what our client adds to it looks larger.
 */
export async function startDurableEtcd(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-etcd-'));
  const times = ['--heartbeat-interval', '100', '--election-timeout', '1000'];
  const server = await startEtcd({ argv: ['--data-dir', join(folder, 'data'), ...times] });
  return {
    port: server.port,
    folder,
    stop: async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
