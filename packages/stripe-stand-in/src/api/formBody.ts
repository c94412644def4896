/** A form in Stripe's encoding: texts, and nested forms for names with brackets. */
export interface Form {
  readonly [name: string]: Form | string | undefined
}

const UNSAFE = new Set(["__proto__", "constructor", "prototype"])

/** Splits a name such as `a[b][0]` into the path to its value. */
const wayOf = (name: string): ReadonlyArray<string> => name.split(/\]?\[|\]/).filter((part) => part !== "")

/**
 * Parses a form-encoded body or query with names such as `line_items[0][price]`. An indexed list becomes an object with
 * the indexes as keys.
 */
export const parseForm = (text: string): Form => {
  const form: Record<string, Form | string> = {}
  for (const [name, value] of new URLSearchParams(text)) {
    const way = wayOf(name)
    if (way.length === 0 || way.some((part) => UNSAFE.has(part))) continue
    let holder: Record<string, Form | string> = form
    for (const part of way.slice(0, -1)) {
      const inner = holder[part]
      holder = holder[part] = typeof inner === "object" ? (inner as Record<string, Form | string>) : {}
    }
    holder[way.at(-1) ?? name] = value
  }
  return form
}

export const textAt = (form: Form, name: string): string | undefined => {
  const value = form[name]
  return typeof value === "string" && value !== "" ? value : undefined
}

export const formAt = (form: Form, name: string): Form => {
  const value = form[name]
  return typeof value === "object" ? value : {}
}

/** Returns the texts of a form: metadata, or an indexed list. */
export const textsOf = (form: Form): Record<string, string> =>
  Object.fromEntries(
    Object.entries(form).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []))
  )
