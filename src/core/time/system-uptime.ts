import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';

/** How long the machine has been up, and in which steps that is counted. */
export interface Uptime {
  readonly uptimeMs: () => number;
  readonly stepMs: number;
}

const FILE = '/proc/uptime';
/** Linux counts in steps of 10 ms, Windows of 16 ms; twice the first is what a hold's safety margin covers. */
const FINE_STEP_MS = 20;
/** Two readings, each of which is short by up to a second. */
const COARSE_STEP_MS = 1020;

/**
 * The finest uptime of this machine. `os.uptime()` of Bun and Deno counts whole seconds: taken for fine, each
 * second that begins would look like a suspend, and end leases up to a second early. Linux tells it in a file as well. Elsewhere a
 * suspend shorter than a second is not told apart from a step.
 */
export function findUptime(): Uptime {
  const uptimeMs = () => uptime() * 1000;
  if (!Number.isInteger(uptime())) return { uptimeMs, stepMs: FINE_STEP_MS };
  try {
    if (readUptimeFile() > 0) return { uptimeMs: readUptimeFile, stepMs: FINE_STEP_MS };
  } catch {
    // This is no Linux, or the file is hidden.
  }
  return { uptimeMs, stepMs: COARSE_STEP_MS };
}

function readUptimeFile(): number {
  return Number.parseFloat(readFileSync(FILE, 'latin1')) * 1000;
}
