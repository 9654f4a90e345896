import type { SentHolder } from './frames.ts';

/** The same hold as long as owner, side and fence are the same. */
export function holdKey({ owner, side, fence }: SentHolder): string {
  return `${owner}\n${side ?? ''}\n${fence ?? ''}`;
}
