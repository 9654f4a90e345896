import { context, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  type MetricData,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { connect } from 'holdfast';
import { memory } from 'holdfast/memory';
import { instrument } from 'holdfast/opentelemetry';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { describeRedis } from '../fixtures/redis/redis-binary.ts';
import { startRedisServer } from '../fixtures/redis/redis-server.ts';
import { VirtualClock } from '../fixtures/virtual-clock.ts';
import { waitFor } from '../fixtures/wait-for.ts';
import { startCollector } from './otlp-collector.ts';
import { act, family } from './stage.ts';

const ENDLESS_MS = 3_600_000;

let exporter: InMemorySpanExporter;
let tracerProvider: BasicTracerProvider;

beforeEach(() => {
  exporter = new InMemorySpanExporter();
  tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});

afterEach(async () => {
  context.disable();
  await tracerProvider.shutdown();
});

const spansNamed = (name: string): readonly ReadableSpan[] =>
  exporter.getFinishedSpans().filter((span) => span.name === name);

describe('spans', () => {
  test('of an acquisition and of its hold are linked, and children of what was active', async () => {
    const { stop } = instrument({ tracerProvider, meterProvider: false, nameOf: family });
    await using locks = memory();
    const tracer = tracerProvider.getTracer('test');
    try {
      await tracer.startActiveSpan('request', async (request) => {
        await locks.lock('orders:7').run(async (hold) => {
          await Promise.resolve();
          tracer.startSpan('work').end();
          await locks.lock('orders:7').run(() => tracer.startSpan('inner work').end());
          expect(hold.fence).toBeGreaterThan(0n);
        });
        request.end();
      });
    } finally {
      stop();
    }
    const [request] = spansNamed('request');
    const [acquired, reentered] = spansNamed('lock.acquire');
    const [hold, ...others] = spansNamed('lock.hold');
    expect(others).toEqual([]);
    expect(acquired?.parentSpanContext?.spanId).toBe(request?.spanContext().spanId);
    expect(hold?.parentSpanContext?.spanId).toBe(request?.spanContext().spanId);
    expect(hold?.links.map((link) => link.context.spanId)).toEqual([acquired?.spanContext().spanId]);
    const holdId = hold?.spanContext().spanId;
    for (const name of ['work', 'inner work'])
      expect(spansNamed(name)[0]?.parentSpanContext?.spanId).toBe(holdId);
    expect(reentered?.attributes).toMatchObject({ 'holdfast.reentered': true });
    expect(acquired?.attributes).toEqual({
      'holdfast.kind': 'lock',
      'holdfast.engine': 'memory',
      'holdfast.name': 'orders:*',
      'holdfast.owner': hold?.attributes['holdfast.owner'],
      'holdfast.fence': hold?.attributes['holdfast.fence'],
      'holdfast.waited': false,
      'holdfast.reentered': false,
      'holdfast.granted': true,
    });
  });

  test('keep what a section has made active when it re-enters', async () => {
    const { stop } = instrument({ tracerProvider, meterProvider: false });
    await using locks = memory();
    const tracer = tracerProvider.getTracer('test');
    try {
      await locks.lock('a').run(() =>
        tracer.startActiveSpan('step', async (step) => {
          await locks.lock('a').run(() => expect(trace.getActiveSpan()).toBe(step));
          step.end();
        }),
      );
    } finally {
      stop();
    }
    expect(spansNamed('step')).toHaveLength(1);
  });

  test('end with the type of an error, and show no name that nameOf has not given', async () => {
    const { stop } = instrument({ tracerProvider, meterProvider: false });
    const clock = new VirtualClock();
    try {
      await clock.run(() => act(clock, () => Promise.resolve()));
    } finally {
      stop();
    }
    const acquisitions = spansNamed('lock.acquire');
    expect(
      acquisitions.map(({ attributes, status }) => [attributes['error.type'], status.code]),
    ).toContainEqual(['ACQUIRE_TIMEOUT', 2]);
    expect(acquisitions.map(({ attributes }) => attributes['holdfast.granted'])).toContain(false);
    const holds = spansNamed('lock.hold');
    expect(holds.map(({ attributes }) => attributes['error.type'])).toContain('LEASE_LOST');
    expect(holds.flatMap(({ events }) => events.map((event) => event.name))).toEqual(['renewal failed']);
    const shown = exporter
      .getFinishedSpans()
      .map(({ attributes, status, events }) => [attributes, status, events.map((event) => event.attributes)]);
    expect(JSON.stringify(shown)).not.toMatch(/orders|brief/);
  });
});

describe('metrics', () => {
  test('count and measure what the lock went through', async () => {
    const inMemory = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const reader = new PeriodicExportingMetricReader({
      exporter: inMemory,
      exportIntervalMillis: ENDLESS_MS,
    });
    const meterProvider = new MeterProvider({ readers: [reader] });
    const instrumentation = instrument({ tracerProvider: false, meterProvider, nameOf: family });
    const clock = new VirtualClock();
    await clock.run(() => act(clock, () => meterProvider.forceFlush()));
    instrumentation.countRefusal({ kind: 'lock', name: 'orders:7', engine: 'stage' });
    await meterProvider.forceFlush();
    const [during, after] = inMemory
      .getMetrics()
      .map(({ scopeMetrics }) => new Map(scopeMetrics[0]!.metrics.map((one) => [one.descriptor.name, one])));
    const sum = (metrics: ReadonlyMap<string, MetricData> | undefined, name: string) =>
      metrics?.get(name)?.dataPoints.map(({ value }) => (typeof value === 'object' ? value.count : value));
    const isGauge = (name: string): boolean => /holds|waiters/.test(name);
    /** Without the counters of what has not happened, which are there from the first acquisition on. */
    const happened = (name: string) => sum(after, name)?.filter((value) => value !== 0 || isGauge(name));
    expect(sum(during, 'holdfast.holds')).toEqual([1]);
    expect(sum(during, 'holdfast.waiters')).toEqual([2]);
    expect([...after!.keys()].toSorted().map((name) => [name, happened(name)])).toEqual([
      ['holdfast.acquired', [3, 1]],
      ['holdfast.hold_time', [3, 1]],
      ['holdfast.holds', [0]],
      ['holdfast.lost', [1]],
      ['holdfast.refusals', [1]],
      ['holdfast.renewal_failures', [1]],
      ['holdfast.timeouts', [2]],
      ['holdfast.wait_time', [3, 2, 1]],
      ['holdfast.waiters', [0]],
    ]);
    expect(after?.get('holdfast.lost')?.dataPoints.find(({ value }) => value === 1)?.attributes).toEqual({
      'holdfast.kind': 'semaphore',
      'holdfast.engine': 'stage',
      'holdfast.name': 'brief',
      'holdfast.reason': 'expired',
    });
    instrumentation.stop();
    await meterProvider.shutdown();
  });
});

test('a collector receives every metric and the spans with their attributes over OTLP', async () => {
  await using collector = await startCollector();
  const otlpTracer = new BasicTracerProvider({
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: `${collector.url}/v1/traces` }))],
  });
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter({ url: `${collector.url}/v1/metrics` }),
    exportIntervalMillis: ENDLESS_MS,
  });
  const otlpMeter = new MeterProvider({ readers: [reader] });
  const { countRefusal, stop } = instrument({
    tracerProvider: otlpTracer,
    meterProvider: otlpMeter,
    nameOf: family,
  });
  const clock = new VirtualClock();
  await clock.run(() => act(clock, () => otlpMeter.forceFlush()));
  countRefusal({ kind: 'lock', name: 'orders:7', engine: 'stage' });
  await Promise.all([otlpTracer.forceFlush(), otlpMeter.forceFlush()]);
  stop();
  await Promise.all([otlpTracer.shutdown(), otlpMeter.shutdown()]);
  const spans = collector.received.flatMap(({ resourceSpans = [] }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
  );
  expect(spans.filter(({ name }) => name === 'lock.hold')).toHaveLength(4);
  const late = spans.find(({ attributes }) => attributes.some(({ key }) => key === 'error.type'));
  expect(late).toMatchObject({
    name: 'lock.acquire',
    attributes: expect.arrayContaining([
      { key: 'holdfast.kind', value: { stringValue: 'lock' } },
      { key: 'holdfast.name', value: { stringValue: 'orders:*' } },
      { key: 'error.type', value: { stringValue: 'ACQUIRE_TIMEOUT' } },
    ]) as unknown,
    status: { code: SpanStatusCode.ERROR },
  });
  const metrics = collector.received.flatMap(({ resourceMetrics = [] }) =>
    resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics)),
  );
  // More than once: a reader flushes when it is shut down, too.
  const names = new Set(metrics.map(({ name }) => name));
  expect([...names].toSorted()).toEqual([
    'holdfast.acquired',
    'holdfast.hold_time',
    'holdfast.holds',
    'holdfast.lost',
    'holdfast.refusals',
    'holdfast.renewal_failures',
    'holdfast.timeouts',
    'holdfast.wait_time',
    'holdfast.waiters',
  ]);
});

// The grant arrives in a turn of a socket, where nothing of the request is active.
describeRedis('on a real Redis', () => {
  test('a section that had to wait runs inside the span of its hold, in the trace of its request', async () => {
    await using server = await startRedisServer();
    const { stop } = instrument({ tracerProvider, meterProvider: false });
    const tracer = tracerProvider.getTracer('test');
    try {
      await using one = await connect(server.url);
      await using other = await connect(server.url);
      const before = await one.lock('orders:7').acquire();
      const served = tracer.startActiveSpan('request', async (request) => {
        await other.lock('orders:7').run(async () => {
          await other.lock('stock').isLocked();
          tracer.startSpan('work').end();
        });
        request.end();
      });
      await waitFor('the request waits', async () => (await other.lock('orders:7').waiters()) > 0);
      await before.release();
      await served;
    } finally {
      stop();
    }
    const [request, work] = ['request', 'work'].map((name) => spansNamed(name)[0]);
    const ofRequest = (span: ReadableSpan): boolean =>
      span.parentSpanContext?.spanId === request?.spanContext().spanId;
    const [acquired, ...others] = spansNamed('lock.acquire').filter(ofRequest);
    const hold = spansNamed('lock.hold').find(ofRequest);
    expect(others).toEqual([]);
    expect(acquired?.attributes).toMatchObject({ 'holdfast.waited': true, 'holdfast.granted': true });
    expect(hold?.links.map((link) => link.context.spanId)).toEqual([acquired?.spanContext().spanId]);
    expect(work?.parentSpanContext?.spanId).toBe(hold?.spanContext().spanId);
    expect(work?.spanContext().traceId).toBe(request?.spanContext().traceId);
  });
});
