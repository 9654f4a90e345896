/** Says that a page of this server is shown. */
const SHOWN = 'shown';
/** Asks whether another page is shown. */
const IS_ONE_SHOWN = 'is one shown?';

interface SharingPage {
  readonly page?: Pick<Document, 'hidden'> & EventTarget;
  /** May be called more than once. */
  giveUp(this: void): void;
  /** Called whenever this page is shown. */
  goOn(this: void): void;
}

/**
 * A browser has six connections over HTTP/1.1 to a server, for all its tabs together, and each stream takes one for as long as its page is open: the
 * seventh page would stay empty, and none of the others could end a hold. So a page that is hidden gives up its stream when another one
 * is shown. While no other is, it keeps it, and goes on with its curves and its histories.
 */
export function shareConnections({ page = document, giveUp, goOn }: SharingPage): void {
  // All dashboards of the server, whatever their paths: they share its connections.
  const channel = new BroadcastChannel('holdfast-dashboard');
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has one origin
  const say = (word: string): void => channel.postMessage(word);
  channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (data === SHOWN && page.hidden) giveUp();
    else if (data === IS_ONE_SHOWN && !page.hidden) say(SHOWN);
  });
  const tell = (): void => {
    if (!page.hidden) goOn();
    // The race: the page that is shown next says so before this one is hidden, and this one takes it for a second window. So it asks.
    say(page.hidden ? IS_ONE_SHOWN : SHOWN);
  };
  page.addEventListener('visibilitychange', tell);
  tell();
}
