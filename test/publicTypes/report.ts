import { type Declarations, type Declared, type Origin, readDeclarations } from "./Declarations.ts"

/** Follows names through the declaration files of one build. */
export const makeFollow = () => {
  const read = new Map<string, Declarations>()
  const declarationsOf = (file: string): Declarations => {
    const known = read.get(file) ?? readDeclarations(file)
    read.set(file, known)
    return known
  }
  const exportOf = (file: string, name: string): Declared | undefined => {
    const { exported, passedOn } = declarationsOf(file)
    const origin = exported.get(name)
    if (origin !== undefined) return follow(origin)
    for (const other of passedOn) {
      const found = exportOf(other, name)
      if (found !== undefined) return found
    }
    return undefined
  }
  const follow = (origin: Origin): Declared | undefined =>
    "text" in origin ? origin : exportOf(origin.from, origin.name)
  const exportsOf = (file: string): ReadonlyMap<string, Declared> => {
    const { exported, passedOn } = declarationsOf(file)
    const all = new Map(passedOn.flatMap((other) => [...exportsOf(other)]))
    for (const [name, origin] of exported) {
      const found = follow(origin)
      if (found !== undefined) all.set(name, found)
    }
    return all
  }
  /** The declarations of this repository that a declaration uses by name. */
  const usesOf = (declared: Declared): ReadonlyArray<readonly [string, Declared]> =>
    [...declared.uses].flatMap((name) => {
      const origin = declarationsOf(declared.file).names.get(name)
      const found = origin === undefined ? undefined : follow(origin)
      return found === undefined ? [] : [[name, found] as const]
    })
  /** The base of a class if it is a constant of the same file, as compilers write it. */
  const baseOf = (declared: Declared, name: string): Declared | undefined => {
    const base = declarationsOf(declared.file).names.get(`${name}_base`)
    return base === undefined ? undefined : follow(base)
  }
  return { exportsOf, usesOf, baseOf }
}

/** A declaration on one line. */
const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").replaceAll("; }", " }")

const section = (title: string, entries: Iterable<readonly [string, Declared]>): string => {
  const sorted = [...entries].toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return [`## ${title}`, ...sorted.map(([name, { text }]) => `${name}: ${oneLine(text)}`)].join("\n")
}

/**
 * The public types behind an entry's emitted declaration file, one line each: its exports by name, and the declarations
 * that these reach and that have no name of their own there. The report does not name the files of the sources, so that
 * moving a file changes nothing.
 */
export const publicTypes = (entry: string): string => {
  const { exportsOf, usesOf } = makeFollow()
  const exported = exportsOf(entry)
  const seen = new Set([...exported.values()])
  const reached: Array<readonly [string, Declared]> = []
  const queue = [...seen]
  for (let declared = queue.pop(); declared !== undefined; declared = queue.pop()) {
    for (const [name, used] of usesOf(declared)) {
      if (seen.has(used)) continue
      seen.add(used)
      reached.push([name, used])
      queue.push(used)
    }
  }
  return `${section("Exported", exported)}\n\n${section("Reached by these", reached)}\n`
}
