import { connection, takeChanges, takeTrouble, takeWhole, tick } from './board-state.ts';
import { type FeedEvent, readEvent } from './events.ts';
import { shareConnections } from './shown-pages.ts';
import { authorization, takeTokenOfAddress } from './token.ts';

/** The server says something every 15 s: one that has been silent for longer is gone, and its socket has not noticed. */
const SILENT_MS = 40_000;
const LEAST_PAUSE_MS = 300;
const MOST_PAUSE_MS = 5_000;
/** For as long as nothing ends the pause. */
const LONG_MS = 3_600_000;
/** Why a request for the stream was ended. */
const GIVEN_UP = Symbol('given up');

let wake = (): void => undefined;
/** Of the request for the stream. */
let asked = new AbortController();
/** Whether the stream is left to a page that is shown. */
let isGivenUp = false;

/** Follows the server as long as the page is open. */
export function beginFeed(): void {
  takeTokenOfAddress();
  setInterval(tick, 1_000);
  addEventListener('online', () => wake());
  shareConnections({
    giveUp: () => {
      isGivenUp = true;
      asked.abort(GIVEN_UP);
    },
    goOn: () => {
      isGivenUp = false;
      wake();
    },
  });
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
    if (isGivenUp) {
      takeTrouble({ is: 'opening' });
      await pause(LONG_MS);
      continue;
    }
    try {
      asked = new AbortController();
      const answer = await fetch('events', {
        headers: authorization(),
        cache: 'no-store',
        // A session that is over leads to the page of a login.
        redirect: 'error',
        signal: asked.signal,
      });
      if (answer.status === 401) {
        takeTrouble({ is: 'locked' });
        await pause(LONG_MS);
        continue;
      }
      const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
      if (!answer.ok || answer.body === null || !isStream) throw new Error(String(answer.status));
      await read(answer.body, () => {
        pauseMs = LEAST_PAUSE_MS;
      });
    } catch {
      // Whatever it was, the page goes on trying.
    }
    if (asked.signal.reason === GIVEN_UP) continue;
    takeTrouble({ is: 'away' });
    await pause(pauseMs * (0.5 + Math.random()));
    pauseMs = Math.min(MOST_PAUSE_MS, pauseMs * 2);
  }
}

async function read(body: ReadableStream<Uint8Array>, heard: () => void): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const timer = setTimeout(() => asked.abort(), SILENT_MS);
    const { done, value } = await reader.read().finally(() => clearTimeout(timer));
    if (done) return;
    const text = decoder.decode(value, { stream: true });
    rest += text;
    // The text before it has been searched already: a frame of megabytes comes in many pieces.
    if (!rest.slice(-text.length - 1).includes('\n\n')) continue;
    const parts = rest.split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const seen = readEvent(part);
      take(seen);
      // Not by a comment: a server whose events cannot be read would be asked again at once, again and again.
      if (seen !== undefined) heard();
    }
  }
}

function take(seen: FeedEvent | undefined): void {
  if (seen?.event === 'all') takeWhole(seen.data);
  else if (seen?.event === 'some') takeChanges(seen.data);
  else if (seen?.event === 'trouble') takeTrouble({ is: 'trouble', code: seen.data.code });
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
