import { createHash } from 'node:crypto';

/** A user of the server's JAAS file. */
export interface SaslUser {
  /** The name of the user. */
  readonly user: string;
  /** The password of the user, which never travels in plain text. */
  readonly password: string;
}

const SERVICE = 'zookeeper';
const HOST = 'zk-sasl-md5';
const NONCE_COUNT = '00000001';

/** The answer to a server's challenge by DIGEST-MD5 (RFC 2831, quality of protection `auth`). */
export function answerChallenge(challenge: Buffer, { user, password }: SaslUser, cnonce: string): Buffer {
  const asked = parseChallenge(challenge.toString('utf8'));
  const realm = asked.get('realm') ?? HOST;
  const nonce = asked.get('nonce');
  if (nonce === undefined) throw new Error('the challenge of the server has no nonce');
  const uri = `${SERVICE}/${HOST}`;

  const secret = md5(`${user}:${realm}:${password}`);
  const first = md5(Buffer.concat([secret, Buffer.from(`:${nonce}:${cnonce}`)])).toString('hex');
  const second = md5(`AUTHENTICATE:${uri}`).toString('hex');
  const response = md5(`${first}:${nonce}:${NONCE_COUNT}:${cnonce}:auth:${second}`).toString('hex');
  const fields = [
    'charset=utf-8',
    `username="${escape(user)}"`,
    `realm="${escape(realm)}"`,
    `nonce="${nonce}"`,
    `nc=${NONCE_COUNT}`,
    `cnonce="${cnonce}"`,
    `digest-uri="${uri}"`,
    'maxbuf=65536',
    `response=${response}`,
    'qop=auth',
  ];
  return Buffer.from(fields.join(','));
}

function md5(text: string | Buffer): Buffer {
  return createHash('md5').update(text).digest();
}

function escape(text: string): string {
  return text.replaceAll(/["\\]/g, String.raw`\$&`);
}

function parseChallenge(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const [, name = '', quoted, plain] of text.matchAll(/([a-z-]+)=(?:"((?:[^"\\]|\\.)*)"|([^,]*))/gi))
    fields.set(name, quoted?.replaceAll(/\\(.)/g, '$1') ?? plain ?? '');
  return fields;
}
