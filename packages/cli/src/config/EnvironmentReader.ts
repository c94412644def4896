import { Option, Redacted, Schema } from "effect"

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/**
 * Reads named settings from the environment and collects every problem instead of stopping at the first, as `Config` of
 * Effect does. A problem names the variable and the expected form, never the value. An empty or blank variable counts as
 * not set.
 */
export class EnvironmentReader {
  readonly problems: Array<string> = []
  /** The names that were looked for, set or not. */
  readonly known = new Set<string>()
  readonly #environment: Environment

  constructor(environment: Environment) {
    this.#environment = environment
  }

  /** The names of the variables that are set. */
  get set(): ReadonlyArray<string> {
    return Object.keys(this.#environment).filter((name) => this.#environment[name]?.trim())
  }

  text(name: string): string | undefined {
    this.known.add(name)
    return this.#environment[name]?.trim() || undefined
  }

  /** A text for which `isValid` is true. */
  valid(name: string, expected: string, isValid: (text: string) => boolean): string | undefined {
    const value = this.text(name)
    if (value === undefined || isValid(value)) return value
    this.problem(name, `expected ${expected}`)
    return undefined
  }

  /** A text that prints as `<redacted>`. */
  secret(name: string): Redacted.Redacted | undefined {
    const value = this.text(name)
    return value === undefined ? undefined : Redacted.make(value)
  }

  /** A whole number from `minimum` to `maximum`. */
  integer(name: string, minimum: number, maximum: number): number | undefined {
    const isWithin = (text: string) => /^\d{1,16}$/.test(text) && Number(text) >= minimum && Number(text) <= maximum
    const value = this.valid(name, `a whole number from ${minimum} to ${maximum}`, isWithin)
    return value === undefined ? undefined : Number(value)
  }

  /** An absolute URL of one of `protocols` (`"https:"`). */
  url(name: string, protocols: ReadonlyArray<string>): string | undefined {
    const expected = `a URL that begins with ${protocols.map((each) => `${each}//`).join(" or ")}`
    return this.valid(name, expected, (text) => protocols.includes(URL.parse(text)?.protocol ?? ""))
  }

  /** True for `1` and `true`, false for `0`, `false` and not set. */
  flag(name: string): boolean {
    const value = this.valid(name, "1 or 0", (text) => /^(?:[01]|true|false)$/i.test(text))
    return value === "1" || value?.toLowerCase() === "true"
  }

  /** Comma-separated words out of `choices`; no word twice. */
  list<Choice extends string>(name: string, choices: ReadonlyArray<Choice>): ReadonlyArray<Choice> | undefined {
    const words = (text: string) => new Set(text.split(",").map((word) => word.trim().toLowerCase()))
    const isKnown = (text: string) => words(text).isSubsetOf(new Set<string>(choices))
    const value = this.valid(name, `some of ${choices.join(",")}`, isKnown)
    return value === undefined ? undefined : choices.filter((choice) => words(value).has(choice))
  }

  /** One of `choices`, in any case. */
  choice<Choice extends string>(name: string, choices: ReadonlyArray<Choice>): Choice | undefined {
    const find = (text: string) => choices.find((choice) => choice.toLowerCase() === text.toLowerCase())
    const value = this.valid(name, `one of ${choices.join(", ")}`, (text) => find(text) !== undefined)
    return value === undefined ? undefined : find(value)
  }

  /** A part of the file that `PARLEY_CONFIG` names; undefined if the file does not have it, or not in this form. */
  part<A>(
    name: string,
    value: unknown,
    schema: Schema.Codec<A, unknown>,
    expected: string,
    onExcessProperty: "ignore" | "error" = "ignore"
  ): A | undefined {
    if (value === undefined) return undefined
    const decoded = Schema.decodeUnknownOption(schema, { onExcessProperty })(value)
    if (Option.isNone(decoded)) this.problem("PARLEY_CONFIG", `${name}: expected ${expected}`)
    return Option.getOrUndefined(decoded)
  }

  problem(name: string, expected: string): void {
    this.problems.push(`${name}: ${expected}`)
  }
}
