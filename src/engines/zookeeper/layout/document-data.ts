/** A document as JSON. Undefined for what is no document of ours. */
export function decodeDocument(data: Buffer): { readonly state: unknown } | undefined {
  try {
    return { state: JSON.parse(data.toString('utf8')) as unknown };
  } catch {
    return undefined;
  }
}

export function encodeDocument(state: unknown): Buffer {
  return Buffer.from(JSON.stringify(state));
}
