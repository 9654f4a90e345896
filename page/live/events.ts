import type { ChangeFrame, TroubleFrame, WholeFrame } from '../../src/dashboard/frames.ts';

/** What the server tells. */
export type FeedEvent =
  | { readonly event: 'all'; readonly data: WholeFrame }
  | { readonly event: 'some'; readonly data: ChangeFrame }
  | { readonly event: 'trouble'; readonly data: TroubleFrame };

const KNOWN: readonly string[] = ['all', 'some', 'trouble'] satisfies FeedEvent['event'][];

/**
 * Reads one event of the stream; undefined for a comment, which only tells that the server is there. What is neither is not passed over: the
 * page would show what was before it as if it were true. It throws, and the page begins anew.
 */
export function readEvent(text: string): FeedEvent | undefined {
  if (text.startsWith(':')) return undefined;
  // With the flag `s`: for `.`, the separators U+2028 and U+2029 of a name end a line, and for JSON they do not.
  const [, event = '', data = ''] = /^event: (\w+)\ndata: (.*)$/s.exec(text) ?? [];
  if (!KNOWN.includes(event)) throw new Error('The server sends what this page does not know.');
  return { event, data: JSON.parse(data) as unknown } as FeedEvent;
}
