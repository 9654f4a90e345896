import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { answer } from './answers.ts';

const TYPES = { 'app.js': 'text/javascript; charset=utf-8', 'app.css': 'text/css; charset=utf-8' };

export type AssetName = keyof typeof TYPES;

/** Where the built files of the page are. The bundler of the package puts its own place here: scripts/bundle/page-files.mjs. */
const PLACE = new URL('../../dist/', import.meta.url);

export function isAssetName(name: string): name is AssetName {
  return Object.hasOwn(TYPES, name);
}

/** Files of the page are in the package as gzip, once: a browser takes them as they are. */
export async function assetAnswer(name: AssetName, request: Request): Promise<Response> {
  const zipped = await readFile(new URL(`dashboard-${name}.gz`, PLACE));
  const etag = `"${createHash('sha256').update(zipped).digest('base64url').slice(0, 22)}"`;
  const headers = { 'cache-control': 'no-cache', etag, vary: 'accept-encoding' };
  if (request.headers.get('if-none-match') === etag) return answer(304, TYPES[name], null, headers);
  if (!takesGzip(request.headers.get('accept-encoding') ?? ''))
    return answer(200, TYPES[name], gunzipSync(zipped), headers);
  return answer(200, TYPES[name], zipped, { ...headers, 'content-encoding': 'gzip' });
}

/** A client may name what it does not take, with a weight of 0. */
function takesGzip(accepted: string): boolean {
  const taken = /(?:^|[\s,])gzip\s*(?:;\s*q=([\d.]+))?\s*(?:,|$)/i.exec(accepted);
  return taken !== null && Number(taken[1] ?? 1) > 0;
}
