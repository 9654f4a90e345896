/** The client of an owner id: `«client»:«n»`. */
export function clientOf(owner: string): string {
  return owner.slice(0, owner.lastIndexOf(':'));
}

/** All clients that a state names: as owner of a hold, a position or an outcome, or as sender of a remembered change. */
export function namedClients(state: unknown, found = new Set<string>()): ReadonlySet<string> {
  if (Array.isArray(state)) for (const item of state) namedClients(item, found);
  else if (typeof state === 'object' && state !== null) {
    for (const [key, value] of Object.entries(state)) {
      if (key === 'owner' && typeof value === 'string') found.add(clientOf(value));
      else if (key === 'client' && typeof value === 'string') found.add(value);
      // What users have put there, and what was answered to them, names no client of ours.
      else if (key !== 'value' && key !== 'answer') namedClients(value, found);
    }
  }
  return found;
}
