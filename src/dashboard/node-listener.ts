import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request as Express passes it on: below a mounted path, `url` lacks that path. */
type NodeRequest = IncomingMessage & { readonly originalUrl?: string };

/** Calls a handler of the web's `Request` from Node's own HTTP server, or from a framework that stands on it. */
export function nodeListener(
  handle: (request: Request) => Promise<Response>,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    answerTo(request, response, handle).catch(() => {
      // What went wrong may name the store. The connection ends, and the page connects again.
      if (response.headersSent) response.destroy();
      else response.writeHead(500).end();
    });
  };
}

async function answerTo(
  request: IncomingMessage,
  response: ServerResponse,
  handle: (request: Request) => Promise<Response>,
): Promise<void> {
  const answer = await handle(webRequest(request));
  if (endsConnection(answer, request)) response.shouldKeepAlive = false;
  await pass(answer, response);
}

/** Without a body: no request of the page has one, so it does not matter what a framework has read of it. */
function webRequest({ method = 'GET', headers, url = '/', originalUrl = url }: NodeRequest): Request {
  const all = new Headers();
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !name.startsWith(':')) all.set(name, [value].flat().join(', '));
  return new Request(new URL(originalUrl.replace(/^\/+/, '/'), 'http://dashboard.invalid'), {
    method,
    headers: all,
  });
}

/**
 * The race: a dashboard closes, its streams end, and the server closes, to which a connection whose stream ends at this moment is not idle. The
 * page asks again on it before it is, and keeps the server open. So no stream leaves its connection for another request, and no refusal of
 * a closed dashboard. HTTP/2 has no such header, and one connection for all.
 */
function endsConnection(answer: Response, request: IncomingMessage): boolean {
  if (request.httpVersionMajor !== 1) return false;
  return answer.status === 503 || answer.headers.get('content-type') === 'text/event-stream';
}

async function pass(answer: Response, response: ServerResponse): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body === null) return void response.end();
  const reader = answer.body.getReader();
  // The page went away: nothing else tells the stream, which would otherwise go on looking at the store.
  const stop = (): void => void reader.cancel().catch(() => undefined);
  response.once('close', stop);
  if (response.destroyed) stop();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (!response.write(value)) await untilDrained(response);
  }
  response.off('close', stop);
  response.end();
}

function untilDrained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      response.off('drain', end);
      response.off('close', end);
      resolve();
    };
    response.once('drain', end);
    response.once('close', end);
    if (response.destroyed) end();
  });
}
