import type { SentDescription } from '../../src/dashboard/frames.ts';
import { holdKey } from '../../src/dashboard/hold-key.ts';
import { noteTaken } from './board-state.ts';
import type { HolderRow, HoldRow } from './hold-rows.ts';
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
  const outcome = await outcomeOf(fetch(`release?${query}`, { method: 'POST', headers, redirect: 'error' }));
  if (outcome !== 'released') noteTaken(holdKey(holder), false);
  return outcome;
}

/** Only our own word is a success: a session that is over leads to the page of a login, which answers 200. */
async function outcomeOf(asked: Promise<Response>): Promise<ReleaseOutcome> {
  try {
    const answer = await asked;
    if (answer.status === 401) forgetToken();
    if (answer.status === 401 || answer.status === 403) return 'not allowed';
    if (answer.status === 409) return 'too late';
    const { released } = (await answer.json()) as { readonly released?: unknown };
    return answer.ok && released === true ? 'released' : 'failed';
  } catch {
    return 'failed';
  }
}
