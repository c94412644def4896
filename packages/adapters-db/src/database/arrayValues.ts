/**
 * Converts arrays to parameters of statements. A server receives them in binary form (PostgreSQL 17, `array_recv`),
 * because numbers as text are many times as expensive for both sides. An embedded engine receives plain arrays, which
 * its driver converts to text.
 */
export interface ArrayValues {
  readonly integers: (values: ReadonlyArray<number | null>) => unknown
  readonly texts: (values: ReadonlyArray<string | null>) => unknown
  readonly bigints: (values: ReadonlyArray<bigint>) => unknown
  /** Joins several lists of numbers into one array. */
  readonly reals: (values: ReadonlyArray<ReadonlyArray<number>>) => unknown
}

/** The oids of the element types, which are the same in every Postgres. */
const TYPES = { integer: 23, text: 25, bigint: 20, real: 700 } as const
/**
 * The bytes of an array's header: five integers of four bytes (number of dimensions, whether there are nulls, type of
 * the elements, and, for the one dimension, its length and its first index).
 */
const HEADER_BYTES = 20
const LENGTH_BYTES = 4
const NULL = -1

const arrayOf = (type: keyof typeof TYPES, length: number, bytes: number): { array: Buffer; at: number } => {
  const array = Buffer.allocUnsafe(length === 0 ? HEADER_BYTES - 8 : HEADER_BYTES + bytes)
  array.writeInt32BE(length === 0 ? 0 : 1, 0)
  array.writeInt32BE(1, 4)
  array.writeInt32BE(TYPES[type], 8)
  if (length === 0) return { array, at: 0 }
  array.writeInt32BE(length, 12)
  array.writeInt32BE(1, 16)
  return { array, at: HEADER_BYTES }
}

const BINARY: ArrayValues = {
  integers: (values) => {
    const nulls = values.reduce<number>((count, value) => (value === null ? count + 1 : count), 0)
    let { array, at } = arrayOf("integer", values.length, values.length * 8 - nulls * 4)
    for (const value of values) {
      at = array.writeInt32BE(value === null ? NULL : 4, at)
      if (value !== null) at = array.writeInt32BE(value, at)
    }
    return array
  },
  texts: (values) => {
    const lengths = values.map((value) => (value === null ? NULL : Buffer.byteLength(value)))
    const bytes = lengths.reduce((sum, length) => sum + LENGTH_BYTES + Math.max(0, length), 0)
    let { array, at } = arrayOf("text", values.length, bytes)
    for (const [place, value] of values.entries()) {
      at = array.writeInt32BE(lengths[place] ?? NULL, at)
      if (value !== null) at += array.write(value, at)
    }
    return array
  },
  bigints: (values) => {
    let { array, at } = arrayOf("bigint", values.length, values.length * 12)
    for (const value of values) {
      at = array.writeInt32BE(8, at)
      at = array.writeBigInt64BE(value, at)
    }
    return array
  },
  reals: (values) => {
    const count = values.reduce((sum, { length }) => sum + length, 0)
    const { array, at } = arrayOf("real", count, count * 8)
    const view = new DataView(array.buffer, array.byteOffset, array.byteLength)
    let place = at
    for (const numbers of values) {
      for (const value of numbers) {
        view.setInt32(place, 4)
        view.setFloat32(place + LENGTH_BYTES, value)
        place += 8
      }
    }
    return array
  }
}

const PLAIN: ArrayValues = {
  integers: (values) => values,
  texts: (values) => values,
  bigints: (values) => values.map(String),
  reals: (values) => `{${values.map((numbers) => numbers.join(",")).join(",")}}`
}

/** Returns the conversion of arrays that a driver needs. */
export const arrayValues = (driver: "pg" | "pglite"): ArrayValues => (driver === "pg" ? BINARY : PLAIN)
