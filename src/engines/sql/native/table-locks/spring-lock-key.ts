import { createHash } from 'node:crypto';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * The key of a lock in Spring's table: the name itself if it is a UUID, else the UUID that Java's `nameUUIDFromBytes`
 * derives from it.
 */
export function springLockKey(name: string): string {
  if (UUID.test(name)) return name.toLowerCase();
  const bytes = createHash('md5').update(name, 'utf8').digest();
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x30, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return uuidOf(bytes.toString('hex'));
}

/** 32 hexadecimal digits as Java writes them. */
export function uuidOf(digits: string): string {
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
