/** A variable that begins like Parley's variables but is unknown. */
interface UnknownVariable {
  readonly name: string
  /** The variable with the most similar name. */
  readonly nearest: string
}

const OWN = /^PARLEY_/
/** Variables that only the repository's tests and checks read. */
const OF_TESTS = /^PARLEY_(?:CI|TEST)_/

/** The variables in `set` that begin like Parley's and are missing in `known`. */
export const unknownVariables = (
  set: ReadonlyArray<string>,
  known: ReadonlySet<string>
): ReadonlyArray<UnknownVariable> => {
  const own = [...known].filter((name) => OWN.test(name)).toSorted()
  return set
    .filter((name) => OWN.test(name) && !OF_TESTS.test(name) && !known.has(name))
    .toSorted()
    .map((name) => {
      const distances = own.map((each) => editDistance(name, each))
      return { name, nearest: own[distances.indexOf(Math.min(...distances))] ?? "" }
    })
}

/** The message about an unknown variable, without the variable's name in front. */
export const unknownText = ({ nearest }: UnknownVariable): string =>
  `there is no such variable; the nearest is ${nearest}`

/** The number of insertions, deletions and replacements of characters that turn `a` into `b` (Levenshtein 1966). */
const editDistance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < b.length; j++) {
      const replaced = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
