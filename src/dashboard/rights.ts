import { createHash, timingSafeEqual } from 'node:crypto';
import type { DashboardOptions } from './options.ts';

/** How holds are ended by force. */
export type ReleaseWay =
  | { readonly is: 'no' }
  | { readonly is: 'token'; readonly token: string }
  | { readonly is: 'session'; readonly authorize: (request: Request) => unknown };

/**
 * Decided once, from options that were checked, and by the values. By `'token' in`, a key that is undefined would hide the function beside
 * it, and each place that asks could answer otherwise.
 */
export function releaseWayOf(rights: DashboardOptions['allowRelease']): ReleaseWay {
  if (rights === undefined) return { is: 'no' };
  if ('authorize' in rights && typeof rights.authorize === 'function')
    return { is: 'session', authorize: (request) => rights.authorize(request) };
  return { is: 'token', token: (rights as { readonly token: string }).token };
}

/** As browsers and programs write it before a token. */
const SCHEME = 'Bearer ';

/**
 * Whether the request has the token. Compares digests in constant time: how long a refusal takes tells nothing of the token. No request has a token
 * that is none: as a text, `Bearer undefined` would be it.
 */
export function hasToken(request: Request, token: unknown): boolean {
  if (typeof token !== 'string') return false;
  const given = request.headers.get('authorization') ?? '';
  return timingSafeEqual(digestOf(given), digestOf(SCHEME + token));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/**
 * Whether a page of another site may have sent the request. A browser says where a request comes from in `Sec-Fetch-Site`, or in
 * `Origin` if it is older. A program that is no browser sends neither: it has no session of a user that another site could
 * use, so it may go on where a token is asked for, and only there.
 */
export function mayBeCrossSite(request: Request, isTokenAsked: boolean): boolean {
  const site = request.headers.get('sec-fetch-site');
  if (site !== null) return site !== 'same-origin';
  const origin = request.headers.get('origin');
  if (origin !== null) return hostOf(origin) !== hostAsked(request);
  return !isTokenAsked;
}

/**
 * Whether a page of another site asks for data. It could not read the answer, but it could make the store list all its names, and open
 * streams, from the browser of a user who may. An older browser and a program do not say where a request comes from.
 */
export function isOfAnotherSite(request: Request): boolean {
  const site = request.headers.get('sec-fetch-site');
  return site !== null && site !== 'same-origin' && site !== 'none';
}

/** Whether the page was asked for by a name that it goes by. A site may give its own name the address of this machine. */
export function isOurHost(request: Request, hosts: DashboardOptions['hosts']): boolean {
  return hosts === undefined || hosts.includes(hostAsked(request).replace(/:\d+$/, ''));
}

function hostAsked(request: Request): string {
  return request.headers.get('host') ?? new URL(request.url).host;
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
