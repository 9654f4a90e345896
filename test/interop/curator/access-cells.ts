import { expect, test } from 'vitest';
import { permission } from '../../../src/engines/zookeeper/client/protocol/access-rule.ts';
import { JavaError } from '../java-program.ts';
import { javaSide } from './sides.ts';
import type { CuratorStage } from './stage.ts';

const SECRET = 'app:secret';

/** Nodes that only the creator's user may read, write and delete: Curator's `CREATOR_ALL_ACL`. */
export function accessCells(stage: () => CuratorStage): void {
  test('both sides share what is for one user alone, and a client without the credentials is refused', async () => {
    const access = [{ permissions: permission.all, scheme: 'auth', id: '' }];
    const locks = stage().openLocks({ auth: [{ scheme: 'digest', secret: SECRET }], access });
    await using java = await stage().startJava({ digest: SECRET });
    for (const [path, first] of [
      ['/private-node/lock', 'node'],
      ['/private-java/lock', 'java'],
    ] as const) {
      const theirs = javaSide(java.thread(), 'lock', path);
      if (first === 'java') {
        await theirs.acquire();
        await theirs.release();
      }
      const hold = await locks.lock(path).acquire();
      const waiting = javaSide(java.thread(), 'lock', path);
      expect(await waiting.tryAcquire()).toBe(false);
      await expect(stage().locks.lock(path).acquire()).rejects.toMatchObject({
        code: 'ENGINE',
        message: expect.stringContaining('access list'),
      });
      const stranger = javaSide(stage().thread(), 'lock', path);
      await expect(stranger.tryAcquire()).rejects.toThrow(JavaError);
      await hold.release();
      expect(await waiting.tryAcquire()).toBe(true);
      expect(await locks.lock(path).tryAcquire()).toBeNull();
      await waiting.release();
    }
  });
}
