/** Whether at least `needed` of the attempts succeed. Known as soon as they have: an attempt that hangs delays no caller. */
export function enoughSucceed(attempts: readonly Promise<unknown>[], needed: number): Promise<boolean> {
  return new Promise((resolve) => {
    let succeeded = 0;
    let settled = 0;
    const count = (good: boolean) => {
      settled++;
      if (good) succeeded++;
      if (succeeded >= needed) resolve(true);
      else if (settled === attempts.length) resolve(false);
    };
    for (const attempt of attempts) {
      attempt.then(
        () => count(true),
        () => count(false),
      );
    }
  });
}
