import type { JsonShape } from "./JsonShape.ts"

/**
 * Keeps the parts of a parsed value that its reader uses: known fields, plain values, and one element more than a list
 * may have. An object or a list in another place becomes an empty one, so that the reader refuses it as it would have
 * refused the whole.
 */
export const pruneJson = (value: unknown, shape: JsonShape): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) {
    const kept = typeof shape === "object" && "elements" in shape ? shape : undefined
    return kept === undefined ? [] : value.slice(0, kept.most + 1).map((each) => pruneJson(each, kept.elements))
  }
  if (shape === "plain" || !("fields" in shape)) return {}
  const fields = value as Readonly<Record<string, unknown>>
  const kept = Object.entries(shape.fields).filter(([name]) => Object.hasOwn(fields, name))
  return Object.fromEntries(kept.map(([name, of]) => [name, pruneJson(fields[name], of)]))
}
