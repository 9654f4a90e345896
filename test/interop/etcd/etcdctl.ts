import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { requireEtcd } from '../../fixtures/etcd/etcd-binary.ts';
import { ServerProcess } from '../../fixtures/processes/server-process.ts';
import { waitFor } from '../../fixtures/wait-for.ts';

const execute = promisify(execFile);

/** That which came with the server. */
function binary(): string {
  const named = process.env['HOLDFAST_ETCDCTL'];
  if (named) return named;
  const beside = join(dirname(requireEtcd()), 'etcdctl');
  return existsSync(beside) ? beside : 'etcdctl';
}

/** Runs the command to its end, and answers what it prints. */
export async function etcdctl(address: string, ...words: readonly string[]): Promise<string> {
  const { stdout } = await execute(binary(), [`--endpoints=${address}`, ...words]);
  return stdout.trim();
}

/** A command that goes on: `lock`, `elect`. */
export class EtcdctlProcess {
  readonly #process: ServerProcess;

  constructor(address: string, ...words: readonly string[]) {
    const argv = [`--endpoints=${address}`, ...words];
    this.#process = new ServerProcess({ binary: binary(), argv, readyLine: /$^/ });
  }

  /** What it has printed. */
  get lines(): readonly string[] {
    return this.#process.log.split('\n').filter(Boolean);
  }

  get isAlive(): boolean {
    return this.#process.isAlive;
  }

  /** The first line that is so. */
  async line(pattern: RegExp): Promise<string> {
    const find = (): string | undefined => this.lines.find((line) => pattern.test(line));
    await waitFor(`etcdctl prints ${pattern}`, () => find() ?? !this.isAlive);
    const found = find();
    if (found === undefined) throw new Error(`etcdctl ended:\n${this.#process.log}`);
    return found;
  }

  async ended(): Promise<void> {
    await waitFor('etcdctl ends', () => !this.isAlive);
  }

  terminate(): Promise<void> {
    return this.#process.terminate();
  }

  kill(): Promise<void> {
    return this.#process.kill();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }
}
