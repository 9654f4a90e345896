import { libraryOf } from '../libraries.ts';

/** Many waiters for a lock that another process holds. */
export async function waiters(library: string, port: number, folder: string) {
  const locker = await libraryOf(library).open(port, folder);
  return {
    /** Returns when all waiters have asked, not when they acquire. */
    ask: async (name: string, count: number): Promise<void> => {
      for (let asked = 0; asked < count; asked += 1) void locker.acquire(name).then((release) => release());
    },

    /** Microseconds of processor time that this process has used so far. */
    cpuUs: async (): Promise<number> => {
      const { user, system } = process.cpuUsage();
      return user + system;
    },
  };
}
