/**
 * What the program sets, over what the address says. A setting that is undefined is not set: it must not take a `keyPrefix` of the
 * address away, and with it the locks that the fleet shares.
 */
export function settingsOverAddress<A extends object, S extends object>(inAddress: A, settings: S): A & S {
  const set = Object.entries(settings).filter(([, value]) => value !== undefined);
  return { ...inAddress, ...(Object.fromEntries(set) as S) };
}
