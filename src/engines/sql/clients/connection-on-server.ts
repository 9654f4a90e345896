/**
 * Selects one row if this server has the connection, from the user, address and port of the connection that asks. `kill` takes a
 * number only, and the address may lead to another server by now, behind a proxy or after a failover, where the number belongs
 * to a stranger.
 *
 * The address is compared as the server sees it: a name, a number, or what a network on the way has made of it. The port is that
 * of this machine: behind a proxy that opens connections of its own nothing is found, and nothing is killed.
 */
export function selectConnection(threadId: number, localPort: number | undefined): string {
  const place =
    localPort === undefined
      ? 'me.host'
      : `concat(left(me.host, char_length(me.host) - char_length(substring_index(me.host, ':', -1))), '${localPort}')`;
  return `select it.id from information_schema.processlist as it
    join information_schema.processlist as me on me.id = connection_id()
    where it.id = ${threadId} and it.user = me.user and it.host = ${place}`;
}
