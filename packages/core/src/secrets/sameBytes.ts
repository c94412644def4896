/** Compares bytes in constant time: the duration depends only on the lengths. */
export const sameBytes = (right: Uint8Array, given: Uint8Array): boolean =>
  right.length === given.length &&
  right.reduce((differs, byte, place) => differs | (byte ^ (given[place] ?? 0)), 0) === 0
