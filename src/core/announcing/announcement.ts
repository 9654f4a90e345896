import type { ClientCard } from '../../spi/api/client-card.ts';
import type { OwnerId } from '../../spi/rule.ts';
import { plainText, shortened } from '../../spi/plain-text.ts';

/** The most labels of one announcement: it is one small value, and not a second record for each hold. */
const MOST_LABELS = 100;

/** What a client writes about itself. */
export interface Announcement {
  readonly card: ClientCard;
  /** Tells processes apart: two containers may have the same host name, and both their programs the pid 1. */
  readonly process: string;
  /** The labels of explicit owners, by the ids of what they hold. */
  readonly labels: ReadonlyMap<OwnerId, string>;
}

export function encodeAnnouncement({ card, process, labels }: Announcement): string {
  const latest = [...labels].slice(-MOST_LABELS).map(([owner, label]) => [owner, shortened(label)]);
  return JSON.stringify({
    ...card,
    process,
    ...(latest.length > 0 && { owners: Object.fromEntries(latest) }),
  });
}

/**
 * Undefined for a text that is no announcement: any program may have written it, and a look must not fail for it. For the same reason
 * each field is made plain here, and not where it is shown: messages, logs and tables need not know where it comes from.
 */
export function decodeAnnouncement(text: string): Announcement | undefined {
  const said = objectIn(text);
  if (said === undefined) return undefined;
  const { host, pid, command, name, process, owners } = said;
  if (typeof host !== 'string' || typeof pid !== 'number' || typeof command !== 'string') return undefined;
  const card = {
    host: plainText(host),
    pid,
    command: plainText(command),
    ...(typeof name === 'string' && { name: plainText(name) }),
  };
  return { card, process: typeof process === 'string' ? plainText(process) : '', labels: labelsIn(owners) };
}

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const said: unknown = JSON.parse(text);
    return typeof said === 'object' && said !== null ? (said as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function labelsIn(owners: unknown): ReadonlyMap<OwnerId, string> {
  if (typeof owners !== 'object' || owners === null) return new Map();
  const labels = Object.entries(owners).slice(0, MOST_LABELS);
  return new Map(
    labels.flatMap(([owner, label]) => (typeof label === 'string' ? [[owner, plainText(label)]] : [])),
  );
}
