import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Workplace } from './workplace.ts';

const CROWD = 200;
/** The only limit there is: beside a load of 16 they took 139 s, and they take longer beside more. */
const LEASE_MINUTES = 30;

/** Not atomic, and noticed if it is not alone. */
const JOB = [
  'mkdir "$PLACE/alone" || exit 1',
  'read count < "$PLACE/count"; echo $((count + 1)) > "$PLACE/count"',
  'echo "$HOLDFAST_FENCE" >> "$PLACE/fences"; rmdir "$PLACE/alone"',
].join('\n');

// They run only when no other process wants to: other tests share these cores. So a lease has to last for as long as that takes.
test(
  'two hundred of one name at once: all are run, one after another, and none is lost',
  async () => {
    await using place = new Workplace();
    writeFileSync(place.file('count'), '0\n');
    const all = Array.from({ length: CROWD }, () =>
      place.shell(`exec chrt --idle 0 $HF run crowd --lease ${LEASE_MINUTES}m -c "$JOB"`, { env: { JOB } }),
    );
    const ends = await Promise.all(all.map(({ ended }) => ended));
    expect(ends.filter(({ code }) => code !== 0)).toEqual([]);
    expect(readFileSync(place.file('count'), 'utf8')).toBe(`${CROWD}\n`);
    const fences = readFileSync(place.file('fences'), 'utf8').trim().split('\n').map(BigInt);
    expect(fences.every((fence, at) => at === 0 || fence > fences[at - 1]!)).toBe(true);
    expect((await place.run(['list'])).stdout).toBe('');
  },
  LEASE_MINUTES * 60_000,
);
