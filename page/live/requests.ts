import type { SentDescription } from '../../src/dashboard/frames.ts';
import { noteTaken } from './board-state.ts';
import { type HolderRow, type HoldRow, holdKey } from './hold-rows.ts';
import { authorization, forgetToken } from './token.ts';

export async function describeRow({ kind, name }: HoldRow): Promise<SentDescription | null> {
  const query = new URLSearchParams({ kind, name }).toString();
  const answer = await fetch(`details?${query}`, { headers: authorization(), cache: 'no-store' });
  if (!answer.ok) throw new Error(String(answer.status));
  return (await answer.json()) as SentDescription | null;
}

export type ReleaseOutcome = 'released' | 'too late' | 'not allowed' | 'failed';

/** Ends the hold that was seen: with its fence, so that it never ends a newer one. */
export async function forceRelease({ kind, name }: HoldRow, holder: HolderRow): Promise<ReleaseOutcome> {
  const { owner, fence = 'none' } = holder;
  const query = new URLSearchParams({ kind, name, owner, fence }).toString();
  const headers = { ...authorization(), 'x-holdfast-release': '1' };
  // Before the answer: the hold may be gone from the list first.
  noteTaken(holdKey(holder), true);
  try {
    const { status } = await fetch(`release?${query}`, { method: 'POST', headers });
    if (status !== 200) noteTaken(holdKey(holder), false);
    if (status === 401) forgetToken();
    if (status === 401 || status === 403) return 'not allowed';
    if (status === 409) return 'too late';
    return status === 200 ? 'released' : 'failed';
  } catch {
    return 'failed';
  }
}
