import type { Expected } from '../spi/engine/inspector.ts';
import type { Kind } from '../spi/kinds.ts';
import { jsonAnswer, refusal } from './answers.ts';
import type { InspectableLocks } from './options.ts';
import { hasToken, mayBeCrossSite, type ReleaseWay } from './rights.ts';

/** A header that no form and no simple request of another site can set: the browser would ask us first, and we do not answer. */
const MARK = 'x-holdfast-release';

/** Ends the hold that was seen, and no other, for a request that may do that. */
export async function forceReleaseAnswer(
  request: Request,
  query: URLSearchParams,
  { inspector }: InspectableLocks,
  way: ReleaseWay,
): Promise<Response> {
  if (way.is === 'no') return refusal(403, 'READ_ONLY');
  const isTokenAsked = way.is === 'token';
  if (mayBeCrossSite(request, isTokenAsked) || !request.headers.has(MARK)) return refusal(403, 'CROSS_SITE');
  // Anything but `true` is a no: an application without types may answer with whatever it has found.
  const verdict: unknown = way.is === 'token' ? hasToken(request, way.token) : await way.authorize(request);
  if (verdict !== true) return refusal(isTokenAsked ? 401 : 403, 'NOT_ALLOWED');
  const [kind = '', name = '', owner = '', fence = ''] = ['kind', 'name', 'owner', 'fence'].map(
    (key) => query.get(key) ?? '',
  );
  // A hold without a fence, of another program, is asked for as such: a fence that was forgotten must not match any hold.
  if (owner === '' || !/^(?:\d{1,20}|none)$/.test(fence)) return refusal(400, 'BAD_ARGUMENT');
  const expected: Expected = { owner, ...(fence !== 'none' && { fence: BigInt(fence) }) };
  if (fence === 'none') {
    const seen = await inspector.describe(kind as Kind, name);
    const isWithoutFence = seen?.holders.some((one) => one.owner === owner && one.fence === undefined);
    if (isWithoutFence !== true) return jsonAnswer(409, { released: false });
  }
  const released = await inspector.forceRelease(kind as Kind, name, expected);
  return jsonAnswer(released ? 200 : 409, { released });
}
