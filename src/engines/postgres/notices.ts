import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import type { Notified } from '../sql/cells/change-feed.ts';
import { ALL_WAITERS } from '../sql/cells/wake-message.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const SEAL_BYTES = 16;
/** PostgreSQL carries 7,999 bytes; with nonce, seal, tag and time, 5,800 bytes become 7,900 as text. */
const LONGEST_BYTES = 5800;
/**
 * The messages of one set of tables. Every role that may connect may listen on any channel and send to it, so the
 * tables keep a secret: it names the channel and encrypts its messages. A role that may not read the tables does not
 * know where to listen, learns no name, owner or document if it does, and can send nothing that is believed.
 *
 * The tempting alternative sends only a digest of the name. A waiter without the document has to read before it can
 * decide: one more statement for each hand-over between processes.
 */
export class Notices {
  readonly secret: string;
  readonly channel: string;
  readonly #tagKey: Buffer;
  readonly #sealKey: Buffer;

  constructor(secret: string, tablePrefix: string) {
    const derived = (purpose: string): Buffer => createHmac('sha256', secret).update(purpose).digest();
    this.secret = secret;
    this.channel = `${tablePrefix}${derived('channel').toString('hex').slice(0, 22)}`;
    this.#tagKey = derived('tag');
    this.#sealKey = derived('seal');
  }

  /** The unencrypted stand-in for a name, so that a client decrypts only messages about names it waits for. */
  tagOf(kind: string, name: string): string {
    const digest = createHmac('sha256', this.#tagKey).update(`${kind}:${name}`).digest('base64');
    return digest.slice(0, 16);
  }

  /** Uses the version as the nonce: it is new with every change (soundness 7). */
  sealed(notice: Notified): string {
    const nonce = Buffer.from(notice.version, 'hex').subarray(0, NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#sealKey, nonce);
    const body = Buffer.concat([nonce, cipher.update(textOf(notice)), cipher.final(), cipher.getAuthTag()]);
    return `${this.tagOf(notice.kind, notice.name)} ${body.toString('base64')}`;
  }

  /** Undefined if the message was not sealed with this secret. */
  opened(sealed: string): Notified | undefined {
    const body = Buffer.from(sealed, 'base64');
    if (body.length < NONCE_BYTES + SEAL_BYTES) return undefined;
    const decipher = createDecipheriv(CIPHER, this.#sealKey, body.subarray(0, NONCE_BYTES));
    decipher.setAuthTag(body.subarray(-SEAL_BYTES));
    try {
      const text =
        decipher.update(body.subarray(NONCE_BYTES, -SEAL_BYTES)).toString() + decipher.final('utf8');
      return noticeIn(text);
    } catch {
      // Sent by a role that does not know the secret, or truncated on the way.
      return undefined;
    }
  }
}

/** Puts the document last and verbatim: inside JSON each of its quotes would need another byte. */
function textOf({ kind, name, wake, version, document }: Notified): Buffer {
  const head = Buffer.from(JSON.stringify([kind, name, wake, version]));
  const whole = Buffer.concat([head, Buffer.from(`\n${document ?? ''}`)]);
  if (whole.length <= LONGEST_BYTES) return whole;
  if (head.length < LONGEST_BYTES) return Buffer.concat([head, Buffer.from('\n')]);
  return Buffer.from(`${JSON.stringify([kind, name, ALL_WAITERS, version])}\n`);
}

function noticeIn(text: string): Notified {
  const end = text.indexOf('\n');
  const [kind, name, wake, version] = JSON.parse(text.slice(0, end)) as [string, string, string, string];
  const document = text.slice(end + 1);
  return { kind, name, wake, version, document: document === '' ? undefined : document };
}
