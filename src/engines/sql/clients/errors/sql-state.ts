/** Five letters and digits. Prisma has codes of the same form, P1000 to P6999; PostgreSQL uses P0 alone. */
const SQLSTATE = /^(?!P[1-9])(?=.*[0-9])[0-9A-Z]{5}$/;

/** Whether a code is an SQLSTATE of the database, and no word of a client, of an ORM or of the system: those contain no digit. */
export function isSqlState(code: string): boolean {
  return SQLSTATE.test(code);
}
