/**
 * What the page may load and do: its own script, style and icon, and nothing inline; requests to where it came from, and no others. No page
 * may frame it: a click on a hidden button would end a hold.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

export function answer(
  status: number,
  type: string,
  body: string | Uint8Array<ArrayBuffer> | ReadableStream | null,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(body, {
    status,
    headers: { ...HEADERS, 'content-type': type, 'cache-control': 'no-store', ...headers },
  });
}

export function jsonAnswer(status: number, value: unknown): Response {
  return answer(status, 'application/json', JSON.stringify(value));
}

export function refusal(status: number, code: string, headers?: Readonly<Record<string, string>>): Response {
  return answer(status, 'application/json', JSON.stringify({ code }), headers);
}
