import { LeaseLostError } from 'holdfast';
import { bar, say, seconds, show, styled } from '../screen.ts';
import type { Scene } from '../stage.ts';
import { type Errand, fenceFrom, type Message } from '../worker.ts';

/** Something that is written to. The fenced one remembers the highest fence it has seen, and refuses lower ones. */
class Drawer {
  content = 'empty';
  readonly #fenced: boolean;
  #highest = 0n;

  constructor(kind: 'plain' | 'fenced') {
    this.#fenced = kind === 'fenced';
  }

  write(fence: bigint, content: string): 'written' | 'refused' {
    if (this.#fenced && fence < this.#highest) return 'refused';
    this.#highest = fence;
    this.content = content;
    return 'written';
  }
}

/** Looks whether the lock is still good, and then writes. Between the two, anything can happen. */
export async function write({ name, locks, ask }: Errand): Promise<void> {
  const hold = await locks.lock('drawer').acquire();
  hold.throwIfLost();
  await ask('is about to write', String(hold.fence));
  await ask('writes', { fence: String(hold.fence), content: `the work of ${name}` });
  const told = hold.lost.reason instanceof LeaseLostError;
  await ask('is done', told);
  await hold.release().catch(() => undefined);
}

export const staleHolder: Scene = {
  title: 'A stale holder and its fence',
  sentence: 'ada is paused between looking at her lock and writing. The world goes on.',
  play: async (stage) => {
    const lock = stage.locks.lock('drawer');
    const drawers = { plain: new Drawer('plain'), fenced: new Drawer('fenced') };
    const answers = new Map<string, string>();
    const told = new Map<string, boolean>();
    let paused = false;
    let benIsIn = false;

    const answer = async (from: string, what: string, value: Message) => {
      if (what === 'is about to write') {
        say(`  ${from} holds the lock with fence ${fenceFrom(value)} and is about to write`);
        if (from === 'ada') await stage.until(() => paused);
        else benIsIn = true;
      } else if (what === 'writes') {
        const { fence, content } = value as { readonly fence: string; readonly content: string };
        const plain = drawers.plain.write(BigInt(fence), content);
        const fenced = drawers.fenced.write(BigInt(fence), content);
        answers.set(from, fenced);
        say(`  ${from} writes with fence ${fence}`);
        say(`    the plain drawer: ${plain}; the fenced drawer: ${fenced}`);
      } else {
        told.set(from, value === true);
      }
    };

    const ada = stage.start('write', 'ada', null, answer);
    await stage.until(() => lock.isLocked());
    await stage.moment(900);
    ada.pause();
    paused = true;
    say(styled('yellow', '  ada is paused: her write has not left, and nothing is renewed'));

    const ben = stage.start('write', 'ben', null, answer);
    await stage.until(async () => {
      const leftMs = await lock.remainingMs();
      if (benIsIn) return true;
      show(`  ${bar(leftMs, stage.leaseMs)} ${seconds(leftMs)} of the lease left; ben waits`);
      return false;
    });
    await ben.done;
    await stage.moment(900);
    say(styled('yellow', '  ada goes on where she was: she has looked, so she writes'));
    ada.resume();
    await ada.done;
    await stage.moment(900);

    say(`  the plain drawer holds ${drawers.plain.content}, the fenced one ${drawers.fenced.content}`);
    stage.claim('the plain drawer lost the work of ben', drawers.plain.content === 'the work of ada');
    stage.claim('the fenced drawer refused the late write', answers.get('ada') === 'refused');
    stage.claim('and kept the work of ben', drawers.fenced.content === 'the work of ben');
    stage.claim(
      'ada heard that her lease is lost, ben did not',
      told.get('ada') === true && !told.get('ben'),
    );
  },
};
