import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FrameSplitter } from '../../../../src/engines/zookeeper/client/jute/frame-splitter.ts';
import { JuteError, JuteReader } from '../../../../src/engines/zookeeper/client/jute/jute-reader.ts';
import { JuteWriter } from '../../../../src/engines/zookeeper/client/jute/jute-writer.ts';
import { readAccess } from '../../../../src/engines/zookeeper/client/protocol/access-rule.ts';
import { readConnectResponse } from '../../../../src/engines/zookeeper/client/protocol/handshake.ts';
import { multi } from '../../../../src/engines/zookeeper/client/protocol/multi.ts';
import {
  checkNode,
  createNode,
  deleteNode,
  listChildren,
  listEphemerals,
  readNode,
  readNodeAccess,
  statNode,
  writeNode,
} from '../../../../src/engines/zookeeper/client/protocol/node-operations.ts';
import {
  exchangeSaslToken,
  whoAmI,
} from '../../../../src/engines/zookeeper/client/protocol/session-operations.ts';
import { readWatchEvent } from '../../../../src/engines/zookeeper/client/protocol/watch-event.ts';

const LENGTH_BYTES = 4;
const empty = Buffer.alloc(0);

/** Everything that reads bytes of a server. */
const readers: Readonly<Record<string, (reader: JuteReader) => unknown>> = {
  connect: readConnectResponse,
  event: readWatchEvent,
  access: readAccess,
  create: createNode('/a', empty, 'persistent', []).read,
  stat: statNode('/a', false).read,
  data: readNode('/a', false).read,
  children: listChildren('/a', false).read,
  ephemerals: listEphemerals('/a').read,
  nodeAccess: readNodeAccess('/a').read,
  written: writeNode('/a', empty, 0).read,
  sasl: exchangeSaslToken(empty).read,
  whoAmI: whoAmI().read,
  multi: multi([deleteNode('/a', 0), checkNode('/b', 0), createNode('/c', empty, 'persistent', [])]).read,
};

const written = fc.oneof(
  fc.record({ type: fc.constant('int' as const), value: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }) }),
  fc.record({
    type: fc.constant('long' as const),
    value: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  }),
  fc.record({ type: fc.constant('bool' as const), value: fc.boolean() }),
  fc.record({ type: fc.constant('string' as const), value: fc.string({ unit: 'grapheme', maxLength: 400 }) }),
  fc.record({
    type: fc.constant('buffer' as const),
    value: fc.option(fc.uint8Array({ maxLength: 700 }).map((bytes) => Buffer.from(bytes))),
  }),
);

type Written = typeof written extends fc.Arbitrary<infer T> ? T : never;

function write(writer: JuteWriter, field: Written): void {
  if (field.type === 'int') writer.int(field.value);
  else if (field.type === 'long') writer.long(field.value);
  else if (field.type === 'bool') writer.bool(field.value);
  else if (field.type === 'string') writer.string(field.value);
  else writer.buffer(field.value);
}

describe('jute', () => {
  test('what was written is read again', () => {
    fc.assert(
      fc.property(fc.array(written), (fields) => {
        const writer = new JuteWriter();
        for (const field of fields) write(writer, field);
        const reader = new JuteReader(writer.frame().subarray(LENGTH_BYTES));
        expect(fields.map(({ type }) => reader[type]())).toEqual(fields.map(({ value }) => value));
        expect(reader.left).toBe(0);
      }),
    );
  });

  test.for(Object.keys(readers))('random bytes give a %s or an error, and nothing else', (name) => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(['read', 'JuteError', 'ZooKeeperError']).toContain(outcomeOf(readers[name]!, bytes));
      }),
      { numRuns: 2_000 },
    );
  });

  test('a vector of strings that is cut off anywhere is an error', () => {
    const writer = new JuteWriter();
    writer.vector(['one', 'two', 'three'], (each) => writer.string(each));
    const whole = writer.frame().subarray(LENGTH_BYTES);
    for (let length = 0; length < whole.length; length += 1)
      expect(() => whoAreThere(whole.subarray(0, length))).toThrow(JuteError);
    expect(whoAreThere(whole)).toEqual(['one', 'two', 'three']);
  });

  test('a length that the frame cannot hold allocates nothing', () => {
    for (const length of [2 ** 31 - 1, 2 ** 30, -2, -(2 ** 31)]) {
      const bytes = Buffer.alloc(12);
      bytes.writeInt32BE(length);
      expect(() => new JuteReader(bytes).buffer()).toThrow(JuteError);
      expect(() => new JuteReader(bytes).string()).toThrow(JuteError);
      expect(() => whoAreThere(bytes)).toThrow(JuteError);
    }
  });

  test('a text that is not UTF-8 is an error', () => {
    expect(() => new JuteReader(Buffer.from([0, 0, 0, 2, 0xc3, 0x28])).string()).toThrow(JuteError);
  });
});

function outcomeOf(read: (reader: JuteReader) => unknown, bytes: Uint8Array): string {
  try {
    read(new JuteReader(Buffer.from(bytes)));
    return 'read';
  } catch (error) {
    return (error as Error).name;
  }
}

function whoAreThere(bytes: Buffer): string[] {
  const reader = new JuteReader(bytes);
  return reader.vector(4, () => reader.string());
}

describe('frames', () => {
  test('come out whole, however the stream was cut', () => {
    const payloads = fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 12 });
    const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 });
    fc.assert(
      fc.property(payloads, cuts, (bodies, sizes) => {
        const splitter = new FrameSplitter(60);
        const stream = Buffer.concat(bodies.map(framed));
        const frames: Buffer[] = [];
        for (let at = 0, turn = 0; at < stream.length; turn += 1) {
          const size = sizes[turn % sizes.length]!;
          frames.push(...splitter.push(stream.subarray(at, at + size)));
          at += size;
        }
        expect(frames.map(String)).toEqual(bodies.map((body) => Buffer.from(body).toString()));
      }),
    );
  });

  test('over the limit, or of a negative length, are refused by their first four bytes', () => {
    for (const length of [61, 2 ** 31 - 1, -1]) {
      const bytes = Buffer.alloc(LENGTH_BYTES);
      bytes.writeInt32BE(length);
      expect(() => new FrameSplitter(60).push(bytes)).toThrow(JuteError);
    }
  });

  test('cost what has arrived, and not what they announce', () => {
    const splitter = new FrameSplitter(2 ** 30);
    const bytes = Buffer.alloc(LENGTH_BYTES);
    bytes.writeInt32BE(2 ** 30);
    const before = process.memoryUsage().arrayBuffers;
    expect(splitter.push(bytes)).toEqual([]);
    for (let at = 0; at < 100; at += 1) expect(splitter.push(Buffer.alloc(1000))).toEqual([]);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 ** 20);
  });
});

function framed(body: Uint8Array): Buffer {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeInt32BE(body.length);
  return Buffer.concat([length, body]);
}
