/** A connection of pg or mysql2, as far as its end is concerned. */
interface EndingConnection {
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
  off(event: 'error', listener: (error: Error) => void): unknown;
  off(event: 'end', listener: () => void): unknown;
}

/** Calls when the connection fails, and when the server closes it without an error. */
export function onBroken(connection: EndingConnection, told: (reason: unknown) => void): () => void {
  const reportEnd = (): void => told(new Error('the server closed the connection'));
  connection.on('error', told);
  connection.on('end', reportEnd);
  return () => {
    connection.off('error', told);
    connection.off('end', reportEnd);
  };
}
