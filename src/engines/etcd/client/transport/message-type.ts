import { ByteReader, MalformedMessageError } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';

/** One field of a message, as the definitions number it. */
export interface MessageField {
  readonly number: number;
  readonly name: string;
  readonly wire: 'bytes' | 'string' | 'bool' | 'int32' | 'int64' | 'uint64' | 'message';
  readonly isRepeated?: true;
  /** One of several fields of which a message has one: it is sent even if it has the usual value, and missing is not the same. */
  readonly isOfUnion?: true;
  readonly message?: () => MessageType<unknown>;
}

/** What a caller says of a message: what is left out has the usual value. */
export type Draft<T> = {
  readonly [K in keyof T]?: T[K] extends readonly (infer E)[]
    ? readonly Draft<E>[]
    : T[K] extends Uint8Array | bigint | number | string | boolean
      ? T[K]
      : Draft<T[K]>;
};

const LENGTH_DELIMITED = 2;
const EMPTY = Buffer.alloc(0);

const usual = {
  bytes: EMPTY,
  string: '',
  bool: false,
  int32: 0,
  int64: 0n,
  uint64: 0n,
  message: undefined,
} as const;

/** One kind of message: writes and reads its bytes by the table that was generated from its definition. */
export class MessageType<T> {
  readonly name: string;
  readonly fields: readonly MessageField[];
  readonly #byNumber: ReadonlyMap<number, MessageField>;

  constructor(name: string, fields: readonly MessageField[]) {
    this.name = name;
    this.fields = fields;
    this.#byNumber = new Map(fields.map((field) => [field.number, field]));
  }

  encode(message: Draft<T>): Buffer {
    const writer = new ByteWriter();
    const values = message as Readonly<Record<string, unknown>>;
    for (const field of this.fields) {
      const value = values[field.name];
      if (value === undefined) continue;
      if (field.isRepeated === true)
        for (const one of value as readonly unknown[]) writeField(writer, field, one);
      else if (field.isOfUnion === true || !isUsual(field, value)) writeField(writer, field, value);
    }
    return writer.bytes;
  }

  decode(bytes: Buffer): T {
    const values: Record<string, unknown> = {};
    for (const { name, wire, isRepeated, isOfUnion } of this.fields)
      if (isRepeated === true) values[name] = [];
      else if (isOfUnion !== true) values[name] = usual[wire];
    const reader = new ByteReader(bytes);
    while (!reader.isAtEnd) {
      const tag = Number(reader.readUint64());
      const wireType = tag % 8;
      const field = this.#byNumber.get(Math.floor(tag / 8));
      if (field === undefined) {
        reader.skip(wireType);
        continue;
      }
      if (wireType !== wireTypeOf(field))
        throw new MalformedMessageError(`${this.name}.${field.name} is of the wire type ${wireType}`);
      const value = readValue(reader, field);
      if (field.isRepeated === true) (values[field.name] as unknown[]).push(value);
      else values[field.name] = value;
    }
    return values as T;
  }
}

function wireTypeOf({ wire }: MessageField): number {
  return wire === 'bytes' || wire === 'string' || wire === 'message' ? LENGTH_DELIMITED : 0;
}

function isUsual({ wire }: MessageField, value: unknown): boolean {
  return wire === 'bytes' ? (value as Uint8Array).length === 0 : value === usual[wire];
}

function writeField(writer: ByteWriter, field: MessageField, value: unknown): void {
  writer.writeCount(field.number * 8 + wireTypeOf(field));
  if (field.wire === 'bytes') writer.writeBytes(value as Uint8Array);
  else if (field.wire === 'string') writer.writeBytes(Buffer.from(value as string));
  else if (field.wire === 'message') writer.writeBytes(field.message!().encode(value as object));
  else writer.writeInt64(BigInt(value as bigint | number | boolean));
}

function readValue(reader: ByteReader, { wire, message }: MessageField): unknown {
  if (wire === 'bytes') return reader.readBytes();
  if (wire === 'string') return reader.readBytes().toString('utf8');
  if (wire === 'message') return message!().decode(reader.readBytes());
  if (wire === 'int64') return reader.readInt64();
  if (wire === 'uint64') return reader.readUint64();
  return wire === 'bool' ? reader.readUint64() !== 0n : reader.readInt32();
}
