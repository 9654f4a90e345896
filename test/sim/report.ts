/** The command that replays a red seed. */
export function replayCommand(
  seed: number,
  options: { readonly kind?: string; readonly plant?: string } = {},
): string {
  const kind = options.kind === undefined ? '' : ` --kind ${options.kind}`;
  const plant = options.plant === undefined ? '' : ` --plant ${options.plant}`;
  return `npm run sim -- --seed ${seed}${kind}${plant}`;
}

/** What happened in all runs together: a simulation in which nothing happens proves nothing. */
export function summary(counts: ReadonlyMap<string, number>): string {
  return [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .map(([what, often]) => `${what}: ${often}`)
    .join(', ');
}
