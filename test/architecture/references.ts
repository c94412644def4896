import { parseSync, Visitor } from "vite"
import type { SourceFile } from "./Workspace.ts"

/** Something a source file reaches for, and the line (from 1) on which it does. */
export interface Reference {
  readonly line: number
  readonly text: string
}

/** The imports (types too), the default export and the global names of a source file. */
export interface References {
  readonly errors: ReadonlyArray<string>
  readonly imports: ReadonlyArray<Reference>
  readonly defaultExports: ReadonlyArray<Reference>
  /** Global names, `Object.member` pairs, `import.meta`, and `new Date()` for a clock read by constructor. */
  readonly outside: ReadonlyArray<Reference>
}

interface Node {
  readonly type: string
  readonly start: number
}

interface Name extends Node {
  readonly name?: string
}

const literal = (node: unknown): string | undefined => {
  const value = (node as { readonly value?: unknown } | null)?.value
  return typeof value === "string" ? value : undefined
}

/** The listed name of a computed `import(expression)`. */
export const COMPUTED_IMPORT = "import(computed)"

/** Parses `file` and returns its references. */
export const referencesOf = (file: SourceFile): References => {
  const parsed = parseSync(file.path, file.text)
  const imports: Array<Reference> = []
  const defaultExports: Array<Reference> = []
  const outside: Array<Reference> = []
  const namesSeen = new Set<number>()
  const declaredNames = new Set<string>()
  const lineOf = (node: Node): number => file.text.slice(0, node.start).split("\n").length
  const addImport = (node: Node, source: unknown): void => {
    if (source !== null) imports.push({ line: lineOf(node), text: literal(source) ?? COMPUTED_IMPORT })
  }
  const declare = (node: unknown): void => {
    const name = (node as Name | null)?.name
    if (name !== undefined) declaredNames.add(name)
  }
  const declareParameters = (node: { readonly params: ReadonlyArray<unknown> }): void => node.params.forEach(declare)
  const skipKey = (node: { readonly key: Node; readonly computed?: boolean; readonly shorthand?: boolean }): void => {
    if (node.computed !== true && node.shorthand !== true) namesSeen.add(node.key.start)
  }
  new Visitor({
    ImportDeclaration: (node) => addImport(node, node.source),
    ExportAllDeclaration: (node) => addImport(node, node.source),
    ExportNamedDeclaration: (node) => {
      addImport(node, node.source)
      if (node.specifiers.some((specifier) => (specifier.exported as Name).name === "default")) {
        defaultExports.push({ line: lineOf(node), text: "default" })
      }
    },
    ExportDefaultDeclaration: (node) => void defaultExports.push({ line: lineOf(node), text: "default" }),
    ImportExpression: (node) => addImport(node, node.source),
    TSImportType: (node) => addImport(node, node.source),
    MetaProperty: (node) => {
      if (node.meta.name === "import") outside.push({ line: lineOf(node), text: "import.meta" })
    },
    MemberExpression: (node) => {
      if (node.computed) return
      namesSeen.add(node.property.start)
      const owner = (node.object as Name).name
      const member = (node.property as Name).name
      if (owner === undefined || member === undefined) return
      namesSeen.add(node.object.start)
      outside.push({ line: lineOf(node), text: `${owner}.${member}` })
    },
    NewExpression: (node) => {
      if ((node.callee as Name).name === "Date" && node.arguments.length === 0) {
        outside.push({ line: lineOf(node), text: "new Date()" })
      }
    },
    ImportSpecifier: (node) => declare(node.local),
    VariableDeclarator: (node) => declare(node.id),
    ArrowFunctionExpression: declareParameters,
    FunctionExpression: declareParameters,
    FunctionDeclaration: (node) => {
      declare(node.id)
      declareParameters(node)
    },
    Property: skipKey,
    PropertyDefinition: skipKey,
    MethodDefinition: skipKey,
    TSPropertySignature: skipKey,
    TSMethodSignature: skipKey,
    Identifier: (node) => {
      if (!namesSeen.has(node.start)) outside.push({ line: lineOf(node), text: node.name })
    }
  }).visit(parsed.program)
  return {
    errors: parsed.errors.map((error) => error.message),
    imports,
    defaultExports,
    outside: outside.filter(({ text }) => !declaredNames.has(text.split(".")[0] ?? text))
  }
}
