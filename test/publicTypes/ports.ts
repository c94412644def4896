import { parseSync } from "vite"

interface TypeNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly members?: ReadonlyArray<TypeNode>
  readonly types?: ReadonlyArray<TypeNode>
  readonly key?: { readonly name?: string }
  readonly typeName?: { readonly name?: string }
  readonly typeAnnotation?: TypeNode
  readonly typeArguments?: { readonly params: ReadonlyArray<TypeNode> }
}

interface Statement {
  readonly body: { readonly body: ReadonlyArray<TypeNode> }
  readonly declarations: ReadonlyArray<{
    readonly id: { readonly typeAnnotation: { readonly typeAnnotation: TypeNode } }
  }>
}

const firstStatement = (text: string): Statement => parseSync("port.ts", text).program.body[0] as unknown as Statement

/** The services of an entry's report with their methods: functions, effects and streams, but no data. */
export const methodsOfPorts = (report: string): ReadonlyMap<string, ReadonlyArray<string>> => {
  const lines = report.split("\n")
  const declared = new Map(lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]))

  const methodsIn = (members: ReadonlyArray<TypeNode>, text: string): ReadonlyArray<string> =>
    members
      .filter(({ type, typeAnnotation: shape }) => {
        const value = shape === undefined ? "" : text.slice(shape.start, shape.end)
        return type === "TSMethodSignature" || /^: ?(\(|Effect\.Effect<|Stream\.Stream<)/.test(value)
      })
      .map(({ key }) => key?.name ?? "")

  const methodsOf = (type: TypeNode, text: string): ReadonlyArray<string> => {
    if (type.members !== undefined) return methodsIn(type.members, text)
    if (type.types !== undefined) return type.types.flatMap((part) => methodsOf(part, text))
    const named = declared.get(type.typeName?.name ?? "") ?? ""
    return named.startsWith("interface ") ? methodsIn(firstStatement(named).body.body, named) : []
  }

  return new Map(
    lines.slice(1, lines.indexOf("")).flatMap((line) => {
      const name = line.slice(0, line.indexOf(":"))
      const base = declared.get(`${name}_base`) ?? ""
      if (!/ Context\.(ServiceClass|Reference)</.test(base)) return []
      const text = `declare ${base}`
      const shape = firstStatement(text).declarations[0]?.id.typeAnnotation.typeAnnotation.typeArguments?.params.at(-1)
      return shape === undefined ? [] : [[name, methodsOf(shape, text)] as const]
    })
  )
}
