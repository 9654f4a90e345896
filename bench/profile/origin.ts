import type { ProfileNode } from './cpu-profile.ts';

/** What goes into the kernel: a socket or a file is written to. */
const WRITES = /^(write|writev|writeUtf8String|writeLatin1String|writeBuffer)$/;

/** Whose code it is. */
export function originOf({ functionName, url }: ProfileNode['callFrame']): string {
  if (functionName === '(garbage collector)') return 'collecting garbage';
  if (functionName === '(program)') return 'native code';
  const library = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(url)?.[1];
  if (library !== undefined) return library;
  if (url.includes('/dist/')) return 'holdfast';
  if (url.startsWith('file:')) return 'the benchmark';
  if (url === '' && WRITES.test(functionName)) return 'writing to sockets';
  if (functionName === 'runMicrotasks') return 'microtasks';
  return 'node';
}
