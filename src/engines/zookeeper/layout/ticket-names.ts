import type { LineTicket } from '../../../spi/engine/ticket-line.ts';
import type { OwnerId } from '../../../spi/rule.ts';
import type { Side } from '../../../spi/verbs/read-write-lock.ts';

/** `_c_`, the id that the client has chosen before it sent the request, and a hyphen: Curator's protected nodes. */
const PROTECTED = /^_c_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-/;
const TICKET_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const SEQUENCE = /^-?\d{10}$/;
const COUNTER_RANGE = 2 ** 32;
/** A counter beyond this is close to the number where it becomes negative. */
const NEAR_WRAP = 2 ** 30;
const AHEAD_OF_ALL = -COUNTER_RANGE;

const READ = '__READ__';
const WRITE = '__WRIT__';

const MARKED = /^(lock-|lease-|latch-|__READ__|__WRIT__)-?\d{10}$/;

/** What stands between the id and the sequence, in the order in which Curator takes it off before it compares. */
const marks: Readonly<Record<string, readonly string[]>> = {
  lock: ['lock-'],
  fairLock: ['lock-'],
  semaphore: ['lock-'],
  semaphoreLease: ['lease-'],
  readWriteLock: [READ, WRITE],
  election: ['latch-'],
};

/** What the name of a new node begins with; the server appends the sequence. */
export function ticketPrefix(kind: string, id: OwnerId, side?: Side): string {
  const [mark] = marks[kind]!;
  return `${protectedPrefix(id)}${side === 'write' ? WRITE : mark}`;
}

export function protectedPrefix(id: OwnerId): string {
  return `_c_${id}-`;
}

/** Whether this is the id of a ticket, and not the name of a node: see {@link ticketsIn}. */
export function isTicketId(id: string): boolean {
  return TICKET_ID.test(id);
}

/** The id of a node of Curator's or ours; the whole name of any other. */
export function ticketIdOf(node: string): OwnerId {
  return PROTECTED.exec(node)?.[1] ?? node;
}

/** Which recipe of Curator's the name of a node is of; undefined for a node of another make. */
export function markOf(node: string): 'lock' | 'lease' | 'latch' | 'side' | undefined {
  const found = MARKED.exec(node.replace(PROTECTED, ''))?.[1];
  if (found === undefined || !PROTECTED.test(node)) return undefined;
  return found === READ || found === WRITE ? 'side' : (found.slice(0, -1) as 'lock' | 'lease' | 'latch');
}

/** The part by which nodes are compared: what follows the last mark. A node without a mark is compared by its whole name. */
export function sequenceOf(kind: string, node: string): string {
  return marks[kind]!.reduce((rest, mark) => {
    const at = rest.lastIndexOf(mark);
    return at === -1 ? rest : rest.slice(at + mark.length);
  }, node);
}

/**
 * The line that a list of children shows. Every child takes part, as in Curator, which sorts them by text: one of another make
 * that sorts below all digits is ahead of the line, and one that sorts above them is behind it and left out.
 *
 * `idOf` names each ticket. The kernel only asks for the ids that a list has shown it, so the nodes of other clients can go by
 * their whole name: to watch one then needs no table from ids to nodes.
 */
export function ticketsIn(
  kind: string,
  nodes: readonly string[],
  idOf: (node: string) => OwnerId,
): readonly LineTicket[] {
  const tickets: LineTicket[] = [];
  let highest = -Infinity;
  for (const node of nodes) {
    const sequence = sequenceOf(kind, node);
    const isNumbered = SEQUENCE.test(sequence);
    if (!isNumbered && sequence >= '0') continue;
    const order = isNumbered ? Number(sequence) : AHEAD_OF_ALL;
    highest = Math.max(highest, order);
    tickets.push({ id: idOf(node), order, ...(kind === 'readWriteLock' && { side: sideOf(node) }) });
  }
  const unwrapped = highest < NEAR_WRAP ? tickets : tickets.map(unwrap);
  return unwrapped.toSorted((one, other) => one.order - other.order);
}

/** Of Curator's readers only a writer keeps others out; a node of another make keeps out writers alone. */
function sideOf(node: string): Side {
  return node.includes(WRITE) ? 'write' : 'read';
}

/** The counter of the server is a signed number of 32 bits: past its highest one it goes on with the lowest. */
function unwrap(ticket: LineTicket): LineTicket {
  const isPastWrap = ticket.order < 0 && ticket.order !== AHEAD_OF_ALL;
  return isPastWrap ? { ...ticket, order: ticket.order + COUNTER_RANGE } : ticket;
}
