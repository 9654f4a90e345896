import { Visitor } from 'oxc-parser';

/**
 * Where a module has promises race. A race keeps what it was given together: one promise that stays pending for the life
 * of a connection holds on to every promise that ever raced against it.
 *
 * @param {import('oxc-parser').Program} program
 * @returns {number[]} the offsets
 */
export function readRaces(program) {
  /** @type {number[]} */
  const offsets = [];
  new Visitor({
    MemberExpression: ({ object, property, computed, start }) => {
      const isRace = !computed && property.type === 'Identifier' && property.name === 'race';
      if (isRace && object.type === 'Identifier' && object.name === 'Promise') offsets.push(start);
    },
  }).visit(program);
  return offsets;
}
