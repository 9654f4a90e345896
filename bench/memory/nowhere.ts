import type { Place } from '../place.ts';

/** Locks inside one process need no server and no file. */
export async function nowhere(): Promise<Place> {
  return { port: 0, folder: '', stop: async () => undefined };
}
