import { describe, expect, test } from 'vitest';
import { Followers } from '../../src/core/acquire/followers.ts';
import type { Owing, RequestEnd } from '../../src/spi/verbs/holding.ts';

function request() {
  const followers = new Followers();
  const owing: Owing = { owedSince: () => 0, follow: (follower) => followers.add(follower) };
  return { followers, owing };
}

/** Followers of a request that waits for another one, and what they have heard. */
function behind(source: Owing) {
  const heard: RequestEnd[] = [];
  const world = { source };
  const followers = new Followers(() => world.source);
  const unfollow = followers.add((end) => heard.push(end));
  return { heard, world, followers, unfollow };
}

describe('the followers of a request that waits for another', () => {
  test.each(['busy', 'silent'] as const)('hear at once that the store was %s to that one', (end) => {
    const first = request();
    const { heard } = behind(first.owing);
    first.followers.tell(end);
    expect(heard).toEqual([end]);
  });

  test.each(['left', 'clear'] as const)('go on behind the next one when that one is %s', (end) => {
    const first = request();
    const { heard } = behind(first.owing);
    first.followers.tell(end);
    expect(heard).toEqual([]);
    first.followers.tell('busy');
    expect(heard).toEqual(['busy']);
  });

  test('leave it when theirs waits for another, ends, or when none of them is left', () => {
    const [first, second] = [request(), request()];
    const { world, followers, unfollow } = behind(first.owing);
    world.source = second.owing;
    followers.followSource();
    expect([first.followers.isEmpty, second.followers.isEmpty]).toEqual([true, false]);
    unfollow();
    expect(second.followers.isEmpty).toBe(true);
    followers.add(() => undefined);
    expect(second.followers.isEmpty).toBe(false);
    followers.tell('left');
    expect(second.followers.isEmpty).toBe(true);
  });
});
