import { bar, say, seconds, show, styled } from '../screen.ts';
import type { Scene } from '../stage.ts';
import { type Errand, fenceFrom, type Message } from '../worker.ts';

/** Takes the lock and keeps it for as long as its work takes. Without `leaseMs` the hold is renewed meanwhile. */
export async function guard({ locks, ask }: Errand): Promise<void> {
  await locks.lock('nightly-report').run(async (hold) => {
    await ask('holds', String(hold.fence));
  });
}

export const crash: Scene = {
  title: 'A crash and the takeover',
  sentence: 'ada holds the lock and dies without a word. ben has been waiting for it.',
  play: async (stage) => {
    const lock = stage.locks.lock('nightly-report');
    const fences = new Map<string, bigint>();
    const answer = async (from: string, _what: string, fence: Message) => {
      fences.set(from, fenceFrom(fence));
      // ada never gets to the end of her work.
      if (from === 'ada') await new Promise(() => undefined);
    };
    const ada = stage.start('guard', 'ada', null, answer);
    await stage.until(() => fences.has('ada'));
    const ben = stage.start('guard', 'ben', null, answer);
    await stage.until(async () => (await lock.waiters()) > 0);

    const showLease = async (text: string) => {
      const leftMs = await lock.remainingMs();
      show(`  ${bar(leftMs, stage.leaseMs)} ${seconds(leftMs)} of the lease left; ${text}`);
    };
    say(`  ada holds it with a lease of ${seconds(stage.leaseMs)}, renewed while she lives; ben waits`);
    const livesUntil = performance.now() + stage.leaseMs * 1.5;
    await stage.until(async () => {
      await showLease('ada renews it');
      return performance.now() > livesUntil;
    });
    stage.claim('after one and a half leases she still has it', !fences.has('ben'));

    const leftMs = await lock.remainingMs();
    ada.kill();
    const killedAt = performance.now();
    say(styled('yellow', `  ada is killed with ${seconds(leftMs)} of her lease left; nothing was released`));
    await stage.until(async () => {
      if (fences.has('ben')) return true;
      await showLease('it is not renewed');
      return false;
    });
    const tookMs = performance.now() - killedAt;
    await ben.done;

    say(`  ben has it, ${seconds(tookMs)} after the crash`);
    // On a server only the end of the lease would tell. Here the system itself lets go of what a dead process held.
    stage.claim('he did not have to wait for the end of her lease: her death was proven', tookMs < leftMs);
    stage.claim('his fence is higher than hers', fences.get('ben')! > fences.get('ada')!);
  },
};
