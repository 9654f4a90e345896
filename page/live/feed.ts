import type { ChangeFrame, TroubleFrame, WholeFrame } from '../../src/dashboard/frames.ts';
import { connection, takeChanges, takeTrouble, takeWhole, tick } from './board-state.ts';
import { authorization, takeTokenOfAddress } from './token.ts';

/** The server says something every 15 s: one that has been silent for longer is gone, and its socket has not noticed. */
const SILENT_MS = 40_000;
const LEAST_PAUSE_MS = 300;
const MOST_PAUSE_MS = 5_000;

let wake = (): void => undefined;

/** Follows the server as long as the page is open. */
export function beginFeed(): void {
  takeTokenOfAddress();
  setInterval(tick, 1_000);
  addEventListener('online', () => wake());
  document.addEventListener('visibilitychange', () => wake());
  void follow();
}

/** Tries again at once: there is a token now. */
export function connectNow(): void {
  wake();
}

/**
 * By `fetch` and not by an `EventSource`, which cannot send a token, tells nothing of why it failed, and gives up without a word after
 * some answers.
 */
async function follow(): Promise<void> {
  let pauseMs = LEAST_PAUSE_MS;
  for (;;) {
    try {
      const silence = new AbortController();
      const answer = await fetch('events', {
        headers: authorization(),
        cache: 'no-store',
        signal: silence.signal,
      });
      if (answer.status === 401) {
        takeTrouble({ is: 'locked' });
        await pause(3_600_000);
        continue;
      }
      if (!answer.ok || answer.body === null) throw new Error(String(answer.status));
      await read(answer.body, silence, () => {
        pauseMs = LEAST_PAUSE_MS;
      });
    } catch {
      // Whatever it was, the page goes on trying.
    }
    takeTrouble({ is: 'away' });
    await pause(pauseMs * (0.5 + Math.random()));
    pauseMs = Math.min(MOST_PAUSE_MS, pauseMs * 2);
  }
}

async function read(
  body: ReadableStream<Uint8Array>,
  silence: AbortController,
  heard: () => void,
): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const timer = setTimeout(() => silence.abort(), SILENT_MS);
    const { done, value } = await reader.read().finally(() => clearTimeout(timer));
    if (done) return;
    heard();
    const text = decoder.decode(value, { stream: true });
    rest += text;
    // The text before it has been searched already: a frame of megabytes comes in many pieces.
    if (!rest.slice(-text.length - 1).includes('\n\n')) continue;
    const parts = rest.split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) take(part);
  }
}

function take(part: string): void {
  const [, event, data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(part) ?? [];
  if (event === 'all') takeWhole(JSON.parse(data) as WholeFrame);
  else if (event === 'some') takeChanges(JSON.parse(data) as ChangeFrame);
  else if (event === 'trouble') takeTrouble({ is: 'trouble', code: (JSON.parse(data) as TroubleFrame).code });
  else if (connection.value.is === 'away') takeTrouble({ is: 'opening' });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    wake = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}
