import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { etcdCalls } from '../../../../src/engines/etcd/client/messages/etcd-messages.generated.ts';
import { MalformedMessageError } from '../../../../src/engines/etcd/client/transport/byte-reader.ts';
import {
  GrpcFrameSplitter,
  frameOf,
} from '../../../../src/engines/etcd/client/transport/grpc-frame-splitter.ts';
import type {
  MessageField,
  MessageType,
} from '../../../../src/engines/etcd/client/transport/message-type.ts';

const types = Object.values(etcdCalls).flatMap(
  ({ request, response }) => [request, response] as readonly MessageType<unknown>[],
);

const scalars: Readonly<Record<Exclude<MessageField['wire'], 'message'>, fc.Arbitrary<unknown>>> = {
  bytes: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  // Text that is no UTF-8 does not come back as it was, in any language.
  string: fc.string({ unit: 'grapheme', maxLength: 40 }),
  bool: fc.boolean(),
  int32: fc.oneof(fc.integer(), fc.constantFrom(0, -1, 127, 128, 2 ** 31 - 1, -(2 ** 31))),
  int64: fc.oneof(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), fc.constantFrom(0n, -1n, 2n ** 49n, 2n ** 53n)),
  uint64: fc.oneof(fc.bigInt(0n, 2n ** 64n - 1n), fc.constantFrom(0n, 2n ** 49n - 1n, 2n ** 63n)),
};

/** Any message of this type, with every field that it has; what is nested ends at a depth. */
function anyOf({ fields }: MessageType<unknown>, depth = 3): fc.Arbitrary<Record<string, unknown>> {
  const members = fields.map(({ name, wire, isRepeated, isOfUnion, message }) => {
    if (wire === 'message' && depth === 0)
      return [name, fc.constant(isRepeated === true ? [] : undefined)] as const;
    const one = wire === 'message' ? anyOf(message!(), depth - 1) : scalars[wire];
    if (isRepeated === true) return [name, fc.array(one, { maxLength: 2 })] as const;
    return [
      name,
      isOfUnion === true || wire === 'message' ? fc.option(one, { nil: undefined }) : one,
    ] as const;
  });
  return fc.record(Object.fromEntries(members));
}

function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (value === null || typeof value !== 'object' || Buffer.isBuffer(value)) return value;
  const kept = Object.entries(value).filter(([, one]) => one !== undefined);
  return Object.fromEntries(kept.map(([name, one]) => [name, withoutUndefined(one)]));
}

describe('messages of etcd', () => {
  test.each(types)('$name is read as it was written', (type) => {
    fc.assert(
      fc.property(anyOf(type), (message) => {
        const bytes = type.encode(message);
        expect(withoutUndefined(type.decode(bytes))).toEqual(withoutUndefined(message));
      }),
      { numRuns: 50 },
    );
  });

  test('are the bytes that the definition of the format gives', () => {
    const { request } = etcdCalls.txn;
    const key = Buffer.from('k');
    // A compare that the key is absent: the number 0 of a union is written, because to leave it out means something else.
    const bytes = request.encode({ compare: [{ target: 1, key, createRevision: 0n }] });
    expect(bytes.toString('hex')).toBe('0a0710011a016b2800');
    expect(etcdCalls.leaseKeepAlive.request.encode({ ID: -2n }).toString('hex')).toBe(
      '08feffffffffffffffff01',
    );
    expect(etcdCalls.leaseKeepAlive.request.encode({ ID: 300n }).toString('hex')).toBe('08ac02');
  });

  test('fields of a newer server are skipped', () => {
    const { response } = etcdCalls.leaseGrant;
    const known = response.encode({ ID: 7n, TTL: 9n });
    const newer = Buffer.from('a20603616263a8060fad0601020304a10601020304050607080', 'hex');
    const read = response.decode(Buffer.concat([newer.subarray(0, 6), known]));
    expect(read).toMatchObject({ ID: 7n, TTL: 9n });
  });

  test('of any bytes are read to an end, or refused', () => {
    let refused = 0;
    fc.assert(
      fc.property(fc.constantFrom(...types), fc.uint8Array({ maxLength: 60 }), (type, bytes) => {
        try {
          type.decode(Buffer.from(bytes));
        } catch (error) {
          if (!(error instanceof MalformedMessageError)) throw error;
          refused++;
        }
      }),
      { numRuns: 20_000 },
    );
    expect(refused).toBeGreaterThan(1000);
  });

  test.each([
    ['a length above 2^63, which must not move the reader back', '0affffffffffffffffff01'],
    ['a length above 2^53', '0affffffffffffff7f'],
    ['a number of eleven bytes', '08ffffffffffffffffffff01'],
    ['bytes beyond the end', '0a05616263'],
    ['a group, which the format has given up', '0b'],
    ['another wire type than that of the field', '0801'],
  ])('%s is refused', (_, hex) => {
    expect(() => etcdCalls.range.request.decode(Buffer.from(hex, 'hex'))).toThrow(MalformedMessageError);
  });
});

describe('frames', () => {
  test('are cut in the same places, whatever the pieces', () => {
    const cases = fc.tuple(fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 6 }), fc.nat(20));
    fc.assert(
      fc.property(cases, ([messages, piece]) => {
        const all = Buffer.concat(messages.map((message) => frameOf(Buffer.from(message))));
        const splitter = new GrpcFrameSplitter();
        const found: Buffer[] = [];
        for (let at = 0; at < all.length; at += piece + 1)
          found.push(...splitter.push(all.subarray(at, at + piece + 1)));
        expect(found.map((one) => one.toString('hex'))).toEqual(
          messages.map((message) => Buffer.from(message).toString('hex')),
        );
      }),
    );
  });

  test('are put together once, however many pieces they come in', () => {
    const message = Buffer.alloc(8_000_000, 1);
    const all = Buffer.concat([frameOf(message), frameOf(Buffer.from('next'))]);
    const splitter = new GrpcFrameSplitter();
    const concat = vi.spyOn(Buffer, 'concat');
    onTestFinished(() => concat.mockRestore());
    const found: Buffer[] = [];
    for (let at = 0; at < all.length; at += 16_384)
      found.push(...splitter.push(all.subarray(at, at + 16_384)));
    expect(concat.mock.calls.length).toBeLessThan(3);
    expect(found.map(({ length }) => length)).toEqual([message.length, 4]);
  });

  test.each([
    ['a compressed one', '0100000000'],
    ['one of four billion bytes', '00ffffffff'],
  ])('%s is refused', (_, hex) => {
    expect(() => new GrpcFrameSplitter().push(Buffer.from(hex, 'hex'))).toThrow(MalformedMessageError);
  });
});
