import { checkOptions, shown } from '../core/arguments.ts';
import { argumentRangeError, argumentTypeError, type ErrorSubject } from '../spi/errors.ts';
import type { Inspector } from '../spi/engine/inspector.ts';

/** What a dashboard needs of an engine object: any that has an inspector. */
export interface InspectableLocks {
  /** The name of the engine object, which the page shows. */
  readonly label: string;
  /** What is held, by whom, and who waits. */
  readonly inspector: Inspector;
}

/** Who may end holds by force: a sender that has the token, or one that the application lets. */
export type ReleaseRights =
  | {
      /** A secret of at least 16 characters, which the page sends in the header `Authorization`. */
      readonly token: string;
    }
  | {
      /** Answers whether the sender of this request may end a hold: by the session of your application, for example. */
      readonly authorize: (request: Request) => boolean | Promise<boolean>;
    };

/** How a dashboard is shown, and what it may do. */
export interface DashboardOptions {
  /** Under which path the handler is mounted: `/locks`. Without it, at the root. */
  readonly basePath?: string;
  /** Shows only names that begin with this. */
  readonly prefix?: string;
  /** How often the store is looked at while a page views, in milliseconds: 1000 without it. A hint of a change comes sooner. */
  readonly everyMs?: number;
  /** Lets the page end holds by force. Without it, the page only reads. */
  readonly allowRelease?: ReleaseRights;
  /** A secret of at least 16 characters, without which nothing is shown. Without it, every client that reaches the handler may view. */
  readonly viewToken?: string;
  /** The host names by which the page may be asked for: `['localhost']`. Without it, any. */
  readonly hosts?: readonly string[];
}

const KNOWN = ['basePath', 'prefix', 'everyMs', 'allowRelease', 'viewToken', 'hosts'];
const LEAST_TOKEN = 16;
const LEAST_MS = 100;
const MOST_MS = 3_600_000;

/** Refuses what makes no sense. A misspelt `allowRelease` or a token that is undefined must not open anything. */
export function checkDashboardOptions(options: DashboardOptions, subject: ErrorSubject): void {
  checkOptions(options, KNOWN, subject);
  const { basePath, prefix, everyMs, allowRelease, viewToken, hosts } = options;
  if (basePath !== undefined && (typeof basePath !== 'string' || !/^\/([^?#]*[^/?#])?$/.test(basePath)))
    throw refusal(subject, `basePath must begin with "/" and not end with it, not ${shown(basePath)}`);
  if (prefix !== undefined && typeof prefix !== 'string')
    throw refusal(subject, `prefix must be a string, not ${shown(prefix)}`);
  if (everyMs !== undefined && !(typeof everyMs === 'number' && everyMs >= LEAST_MS && everyMs <= MOST_MS))
    throw argumentRangeError(
      `${subject.resource}: everyMs must be from ${LEAST_MS} to ${MOST_MS}, not ${shown(everyMs)}.`,
      subject,
    );
  if (hosts !== undefined && !(Array.isArray(hosts) && hosts.every((host) => typeof host === 'string')))
    throw refusal(subject, 'hosts must be a list of host names');
  if ('viewToken' in options) checkToken(viewToken, 'viewToken', subject);
  if (!('allowRelease' in options)) return;
  checkOptions(allowRelease ?? null, ['token', 'authorize'], { ...subject, resource: 'allowRelease' });
  const rights = allowRelease as { readonly token?: unknown; readonly authorize?: unknown };
  if (rights.authorize === undefined) checkToken(rights.token, 'allowRelease.token', subject);
  // Not even a token that is undefined: it is one that was meant to be there, such as a variable that is not set.
  else if (typeof rights.authorize !== 'function' || 'token' in rights)
    throw refusal(subject, 'allowRelease needs a token, or a function authorize, and not both');
  // A request has one header for a token: with two of them, what may be seen could never be ended.
  if (viewToken !== undefined && rights.token !== undefined && rights.token !== viewToken)
    throw refusal(subject, 'viewToken and allowRelease.token must be the same, for a page sends one token');
}

/** Never shows the token: it would go to a log. */
function checkToken(token: unknown, what: string, subject: ErrorSubject): void {
  if (typeof token === 'string' && token.length >= LEAST_TOKEN && /^[\x21-\x7e]+$/.test(token)) return;
  throw refusal(subject, `${what} must be a string of at least ${LEAST_TOKEN} printable characters`);
}

function refusal(subject: ErrorSubject, what: string): Error {
  return argumentTypeError(`${subject.resource}: ${what}.`, subject);
}
