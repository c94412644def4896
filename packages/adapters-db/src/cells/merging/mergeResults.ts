type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null

/** Two results as one: numbers are added, lists and maps joined, field by field. */
export const sumOf = (a: unknown, b: unknown): unknown => {
  if (typeof a === "number" && typeof b === "number") return a + b
  if (Array.isArray(a) && Array.isArray(b)) return [...(a as ReadonlyArray<unknown>), ...(b as ReadonlyArray<unknown>)]
  if (a instanceof Map && b instanceof Map) return new Map([...a, ...b])
  if (!isFields(a) || !isFields(b)) return a ?? b
  const fields = new Set([...Object.keys(a), ...Object.keys(b)])
  return Object.fromEntries([...fields].map((field) => [field, sumOf(a[field], b[field])]))
}

const inOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** The parts of a row that name it: those that are no numbers. */
const nameOf = (row: Fields): string =>
  JSON.stringify(Object.entries(row).flatMap(([field, value]) => (typeof value === "number" ? [] : [[field, value]])))

/** The rows of several results, those with equal names as one, in the order of their names. */
export const tallyOf = (results: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const rows = new Map<string, Fields>()
  for (const row of results.flat() as ReadonlyArray<Fields>) {
    const name = nameOf(row)
    const before = rows.get(name)
    rows.set(name, before === undefined ? row : added(before, row))
  }
  return [...rows].toSorted(([a], [b]) => inOrder(a, b)).map(([, row]) => row)
}

const added = (a: Fields, b: Fields): Fields =>
  Object.fromEntries(
    Object.entries(a).map(([field, value]) => {
      const other = b[field]
      return [field, typeof value === "number" && typeof other === "number" ? value + other : value]
    })
  )
