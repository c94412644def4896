import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { parseSync, Visitor } from "vite"

/** A declaration of a module: as the report shows it, and with its inner comments; `says` is the comment before it. */
export interface Declared {
  readonly file: string
  readonly text: string
  readonly commented: string
  readonly says: string
  readonly uses: ReadonlySet<string>
}

/** The origin of a name in a module: declared in it, or in another file under the given name. */
export type Origin = Declared | { readonly from: string; readonly name: string }

/**
 * One emitted declaration file: the origin of each name, the exported names, and the modules that it re-exports whole.
 */
export interface Declarations {
  readonly names: ReadonlyMap<string, Origin>
  readonly exported: ReadonlyMap<string, Origin>
  readonly passedOn: ReadonlyArray<string>
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
}

const nameOf = (node: unknown): string => {
  const { name, value } = node as { readonly name?: string; readonly value?: string }
  return name ?? value ?? ""
}

/** The first name of `A`, `A.B` or `A.B.C`. */
const leftmost = (node: unknown): string => {
  const { left, object } = node as { readonly left?: unknown; readonly object?: unknown }
  const inner = left ?? object
  return inner === undefined ? nameOf(node) : leftmost(inner)
}

/**
 * Returns the source file for an emitted declaration's specifier; fails for a file that was not emitted, because its
 * declarations would be missing.
 */
const resolveFile = (file: string, specifier: string): string | undefined => {
  if (!specifier.startsWith(".")) return undefined
  const path = join(dirname(file), specifier).replace(/\.(ts|js)$/, ".d.ts")
  if (!existsSync(path)) throw new Error(`${path}, which ${file} names, was not emitted.`)
  return path
}

/** A declaration as the report shows it: without comments, and without the places that types were inferred from. */
const shown = (text: string, start: number, comments: ReadonlyArray<Node>): string =>
  tidied(
    comments
      .filter((comment) => comment.start >= start && comment.end <= start + text.length)
      .toReversed()
      .reduce((rest, comment) => rest.slice(0, comment.start - start) + rest.slice(comment.end - start), text)
  )

const tidied = (text: string): string =>
  text
    .replaceAll(/import\("\.[^"]*"\)\./g, "")
    .replace(/^export /, "")
    .replace(/^declare /, "")
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line.trim() !== "")
    .join("\n")

/** The documentation comment directly before a statement; empty if there is none. */
const documentationBefore = (text: string, start: number, comments: ReadonlyArray<Node>): string => {
  const before = comments.findLast(({ end }) => end <= start)
  if (before === undefined || text.slice(before.end, start).trim() !== "") return ""
  const comment = text.slice(before.start, before.end)
  return comment.startsWith("/**") ? comment : ""
}

/** The names that a piece of a declaration file uses as types. */
const usesIn = (program: unknown, start: number, end: number): ReadonlySet<string> => {
  const uses = new Set<string>()
  const note = (node: Node, name: unknown): void => {
    if (node.start >= start && node.end <= end) uses.add(leftmost(name))
  }
  new Visitor({
    TSTypeReference: (node) => note(node, node.typeName),
    TSTypeQuery: (node) => note(node, node.exprName),
    TSInterfaceHeritage: (node) => note(node, node.expression),
    TSClassImplements: (node) => note(node, node.expression),
    TSImportType: (node) => {
      if (node.qualifier !== null) note(node, node.qualifier)
    },
    ClassDeclaration: (node) => {
      if (node.superClass !== null) note(node, node.superClass)
    }
  }).visit(program as Parameters<Visitor["visit"]>[0])
  return uses
}

interface Statement extends Node {
  readonly id?: unknown
  readonly declarations?: ReadonlyArray<{ readonly id: unknown }>
  readonly declaration?: Statement | null
  readonly source?: { readonly value: string } | null
  readonly specifiers?: ReadonlyArray<{
    readonly local: unknown
    readonly exported?: unknown
    readonly imported?: unknown
  }>
}

/** The names in other modules to which an inferred type refers. */
const inferredFrom = (text: string): ReadonlyArray<readonly [name: string, specifier: string]> =>
  [...text.matchAll(/import\("(\.[^"]*)"\)\.([A-Za-z_$][\w$]*)/g)].map((match) => [match[2] ?? "", match[1] ?? ""])

/** Reads one emitted declaration file. */
export const readDeclarations = (file: string): Declarations => {
  const text = readFileSync(file, "utf8")
  const parsed = parseSync(file, text)
  const names = new Map<string, Origin>()
  const exported = new Map<string, Origin>()
  const passedOn: Array<string> = []
  for (const [name, specifier] of inferredFrom(text)) {
    const from = resolveFile(file, specifier)
    if (from !== undefined) names.set(name, { from, name })
  }
  const declare = (statement: Statement, outer: Statement, isExported: boolean): void => {
    const ids = statement.declarations?.map(({ id }) => id) ?? [statement.id]
    for (const id of ids) {
      const name = nameOf(id)
      const known = names.get(name)
      const whole = text.slice(outer.start, outer.end)
      const own = shown(whole, outer.start, parsed.comments)
      const says = documentationBefore(text, outer.start, parsed.comments)
      const uses = usesIn(parsed.program, outer.start, outer.end)
      const origin: Origin =
        known !== undefined && "text" in known
          ? {
              file,
              text: `${known.text}\n${own}`,
              commented: `${known.commented}\n${tidied(whole)}`,
              says: known.says === "" ? says : known.says,
              uses: new Set([...known.uses, ...uses])
            }
          : { file, text: own, commented: tidied(whole), says, uses }
      names.set(name, origin)
      if (isExported) exported.set(name, origin)
    }
  }
  const body = parsed.program.body as unknown as ReadonlyArray<Statement>
  for (const statement of body) {
    const from = statement.source ? resolveFile(file, statement.source.value) : undefined
    if (statement.type === "ImportDeclaration" && from !== undefined) {
      for (const { local, imported } of statement.specifiers ?? []) {
        names.set(nameOf(local), { from, name: nameOf(imported ?? local) })
      }
    } else if (statement.type === "ExportAllDeclaration" && from !== undefined) passedOn.push(from)
    else if (statement.type === "ExportNamedDeclaration" && statement.declaration) {
      declare(statement.declaration, statement, true)
    } else if (statement.type === "ExportNamedDeclaration") {
      for (const { local, exported: as } of statement.specifiers ?? []) {
        const name = nameOf(local)
        const origin = from === undefined ? names.get(name) : { from, name }
        if (origin !== undefined) exported.set(nameOf(as), origin)
      }
    } else if (statement.id !== undefined || statement.declarations !== undefined) {
      declare(statement, statement, false)
    }
  }
  return { names, exported, passedOn }
}
