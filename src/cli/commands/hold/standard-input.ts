import { fstatSync } from 'node:fs';

/**
 * Calls when the input of this process ends: its parent has closed the pipe or died, or a user has typed Ctrl-D.
 *
 * An input without a writer says nothing by its end: under systemd, in a container and in cron it is `/dev/null`, and a hold that
 * ended with it would end at once.
 */
export function onInputEnd(end: () => void): void {
  if (!hasWriter()) return;
  const { stdin } = process;
  stdin.once('end', end);
  stdin.once('error', end);
  stdin.resume();
}

function hasWriter(): boolean {
  if (process.stdin.isTTY) return true;
  try {
    const input = fstatSync(0);
    return input.isFIFO() || input.isSocket();
  } catch {
    return false;
  }
}
