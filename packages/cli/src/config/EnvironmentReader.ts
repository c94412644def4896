import { Option, Redacted, Schema } from "effect"

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/**
 * Reads named settings from the environment, and collects every problem instead of stopping at the first one as
 * Effect's `Config` does. A problem names the variable and the expected form, never the value. An empty or blank
 * variable counts as not set.
 */
export class EnvironmentReader {
  readonly problems: Array<string> = []
  /** The names of all variables that were looked up, whether or not they are set. */
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

  /** Returns the text of a variable if `isValid` is true for it; otherwise reports a problem. */
  valid(name: string, expected: string, isValid: (text: string) => boolean): string | undefined {
    const value = this.text(name)
    if (value === undefined || isValid(value)) return value
    this.problem(name, `expected ${expected}`)
    return undefined
  }

  /** Returns the text of a variable as a value that prints as `<redacted>`. */
  secret(name: string): Redacted.Redacted | undefined {
    const value = this.text(name)
    return value === undefined ? undefined : Redacted.make(value)
  }

  /** Returns the whole number of a variable, from `minimum` to `maximum`. */
  integer(name: string, minimum: number, maximum: number): number | undefined {
    const isWithin = (text: string) => /^\d{1,16}$/.test(text) && Number(text) >= minimum && Number(text) <= maximum
    const value = this.valid(name, `a whole number from ${minimum} to ${maximum}`, isWithin)
    return value === undefined ? undefined : Number(value)
  }

  /** Returns the absolute URL of a variable, with one of the `protocols` (such as `"https:"`). */
  url(name: string, protocols: ReadonlyArray<string>): string | undefined {
    const expected = `a URL that begins with ${protocols.map((each) => `${each}//`).join(" or ")}`
    return this.valid(name, expected, (text) => protocols.includes(URL.parse(text)?.protocol ?? ""))
  }

  /** Returns true for `1` and `true`; false for `0`, `false` and an unset variable. */
  flag(name: string): boolean {
    const value = this.valid(name, "1 or 0", (text) => /^(?:[01]|true|false)$/i.test(text))
    return value === "1" || value?.toLowerCase() === "true"
  }

  /** Returns the comma-separated words of a variable, each one of `choices` and none twice. */
  list<Choice extends string>(name: string, choices: ReadonlyArray<Choice>): ReadonlyArray<Choice> | undefined {
    const words = (text: string) => new Set(text.split(",").map((word) => word.trim().toLowerCase()))
    const isKnown = (text: string) => words(text).isSubsetOf(new Set<string>(choices))
    const value = this.valid(name, `some of ${choices.join(",")}`, isKnown)
    return value === undefined ? undefined : choices.filter((choice) => words(value).has(choice))
  }

  /** Returns the word of a variable that is one of `choices`, in upper or lower case. */
  choice<Choice extends string>(name: string, choices: ReadonlyArray<Choice>): Choice | undefined {
    const find = (text: string) => choices.find((choice) => choice.toLowerCase() === text.toLowerCase())
    const value = this.valid(name, `one of ${choices.join(", ")}`, (text) => find(text) !== undefined)
    return value === undefined ? undefined : find(value)
  }

  /**
   * Decodes one part of the file that `PARLEY_CONFIG` names. Returns undefined if the part is missing, or if it has
   * another form, which is reported as a problem.
   */
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
