export type JsonObject = Readonly<Record<string, unknown>>

/** An object of Stripe has an unknown form. The message names the field and the expected form, without values. */
export class UnknownShape extends Error {
  override readonly name = "UnknownShape"
}

/**
 * True if a value is a text that databases can store: not empty, without a NUL character, and without a lone surrogate.
 */
export const isKeptText = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && value.isWellFormed() && !value.includes("\0")

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * Reads an object of Stripe field by field. If a field has an unexpected form, throws `UnknownShape` with the path of
 * the field (`invoice.lines.data[0].period.start: not a time`). A field that is null counts as absent.
 */
export class ShapeReader {
  readonly path: string
  readonly #object: JsonObject

  constructor(value: unknown, path: string) {
    this.path = path
    if (!isObject(value)) throw new UnknownShape(`${path}: not an object`)
    this.#object = value
  }

  /** Throws `UnknownShape` for the field, or for the object itself if `field` is undefined. */
  refuse(field: string | undefined, expected: string): never {
    throw new UnknownShape(`${field === undefined ? this.path : `${this.path}.${field}`}: ${expected}`)
  }

  /** Returns the value of the field; undefined if it is absent or null. */
  raw(field: string): unknown {
    return this.#object[field] ?? undefined
  }

  has(field: string): boolean {
    return this.raw(field) !== undefined
  }

  /** True if the object has the field, even if its value is null. */
  knows(field: string): boolean {
    return field in this.#object
  }

  text(field: string): string {
    return this.optionalText(field) ?? this.refuse(field, "missing")
  }

  optionalText(field: string): string | undefined {
    const value = this.raw(field)
    if (value === undefined) return undefined
    return isKeptText(value) ? value : this.refuse(field, "not a text")
  }

  /** Returns an id; the field contains the id, or the object that has it. */
  id(field: string): string {
    return this.optionalId(field) ?? this.refuse(field, "missing")
  }

  optionalId(field: string): string | undefined {
    const value = this.raw(field)
    return isObject(value) ? this.object(field).text("id") : this.optionalText(field)
  }

  whole(field: string): number {
    return this.optionalWhole(field) ?? this.refuse(field, "missing")
  }

  optionalWhole(field: string): number | undefined {
    const value = this.raw(field)
    if (value === undefined) return undefined
    return Number.isSafeInteger(value) ? (value as number) : this.refuse(field, "not a whole number")
  }

  /** Returns an amount in the smallest unit of its currency, zero or more. */
  amount(field: string): number {
    const value = this.whole(field)
    return value >= 0 ? value : this.refuse(field, "below zero")
  }

  /** Returns a time in Unix milliseconds; the field contains whole seconds. */
  time(field: string): number {
    return this.optionalTime(field) ?? this.refuse(field, "missing")
  }

  optionalTime(field: string): number | undefined {
    const seconds = this.optionalWhole(field)
    if (seconds === undefined) return undefined
    return seconds > 0 && seconds < 1e11 ? seconds * 1000 : this.refuse(field, "not a time")
  }

  flag(field: string): boolean {
    const value = this.raw(field)
    return typeof value === "boolean" ? value : this.refuse(field, "not a yes or no")
  }

  /** Returns the code of a currency in lower case. */
  currency(field: string): string {
    const code = this.text(field).toLowerCase()
    return /^[a-z]{3}$/.test(code) ? code : this.refuse(field, "not a currency")
  }

  /** Returns the meaning of the field's word according to `meanings`. */
  oneOf<A>(field: string, meanings: Readonly<Record<string, A>>): A {
    const word = this.text(field)
    return Object.hasOwn(meanings, word) ? (meanings[word] as A) : this.refuse(field, "not a known word")
  }

  object(field: string): ShapeReader {
    return new ShapeReader(this.raw(field), `${this.path}.${field}`)
  }

  optionalObject(field: string): ShapeReader | undefined {
    return this.has(field) ? this.object(field) : undefined
  }

  list(field: string): ReadonlyArray<unknown> {
    const value = this.raw(field)
    return Array.isArray(value) ? value : this.refuse(field, "not a list")
  }

  array(field: string): ReadonlyArray<ShapeReader> {
    return this.list(field).map(
      (element: unknown, index) => new ShapeReader(element, `${this.path}.${field}[${index}]`)
    )
  }
}
