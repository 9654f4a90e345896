import type { ChildProcess } from 'node:child_process';

/** Sends a message to a process that we have forked, and waits for the answer. */
export function ask<Answer>(child: ChildProcess, question: unknown): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null, signal: string | null): void =>
      reject(new Error(`a contestant ended with ${code ?? signal}`));
    // It may have ended since the last question: then there is no exit to come, and no answer.
    if (child.exitCode !== null || child.signalCode !== null) return ended(child.exitCode, child.signalCode);
    child.once('exit', ended);
    child.once('message', (answer) => {
      child.off('exit', ended);
      resolve(answer as Answer);
    });
    child.send(question as object, (error) => {
      if (error !== null) reject(error);
    });
  });
}
