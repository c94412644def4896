import { editDistance } from "./editDistance.ts"

/** A variable that looks like one of Parley's and is none. */
export interface UnknownVariable {
  readonly name: string
  /** The variable whose name is most like it. */
  readonly nearest: string
}

const OWN = /^PARLEY_/
/** What the tests and checks of the repository read. */
const OF_TESTS = /^PARLEY_(?:CI|TEST)_/

/** The variables of `set` that begin as Parley's do and are none of `known`. */
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

/** What is said of one, after its name. */
export const unknownText = ({ nearest }: UnknownVariable): string =>
  `there is no such variable; the nearest is ${nearest}`
