const SLOTS = 16_384;
const POLYNOMIAL = 0x1021;

/** The contribution of each upper byte: every command to a cluster needs the checksum, so it goes byte by byte. */
const table = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x8000 ? (crc << 1) ^ POLYNOMIAL : crc << 1;
  return crc;
});

/** The slot of a key in a cluster: of the text in its first braces, if that is not empty, so that keys can share a slot. */
export function keySlot(key: string): number {
  const open = key.indexOf('{');
  if (open < 0) return crc16(key) % SLOTS;
  const close = key.indexOf('}', open + 1);
  return crc16(close > open + 1 ? key.slice(open + 1, close) : key) % SLOTS;
}

function crc16(text: string): number {
  let crc = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit > 127) return crc16OfBytes(Buffer.from(text));
    crc = add(crc, unit);
  }
  return crc;
}

function crc16OfBytes(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) crc = add(crc, byte);
  return crc;
}

function add(crc: number, byte: number): number {
  return ((crc << 8) & 0xffff) ^ table[(crc >> 8) ^ byte]!;
}
