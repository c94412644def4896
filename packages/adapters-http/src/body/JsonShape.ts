import { Schema } from "effect"

/** The needed parts of a JSON value: these fields of an object, this many elements of a list, or a plain value. */
export type JsonShape =
  | { readonly fields: Readonly<Record<string, JsonShape>> }
  | { readonly elements: JsonShape; readonly most: number }
  | "plain"

interface JsonSchema {
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly maxItems?: number
  readonly allOf?: ReadonlyArray<JsonSchema>
}

/** Elements of a list for which no bound is written down. */
const MOST_ELEMENTS = 10_000

/** The parts of a value that a schema reads. */
export const shapeOf = (schema: Schema.Top): JsonShape => {
  const { schema: root, definitions } = Schema.toJsonSchemaDocument(schema)
  const shape = (part: JsonSchema): JsonShape => {
    if (part.$ref !== undefined) return shape((definitions[part.$ref.split("/").at(-1) ?? ""] ?? {}) as JsonSchema)
    if (part.properties !== undefined) {
      return { fields: Object.fromEntries(Object.entries(part.properties).map(([name, each]) => [name, shape(each)])) }
    }
    if (part.items === undefined) return "plain"
    const bounds = [part, ...(part.allOf ?? [])].map(({ maxItems }) => maxItems ?? MOST_ELEMENTS)
    return { elements: shape(part.items), most: Math.min(...bounds) }
  }
  return shape(root as JsonSchema)
}
