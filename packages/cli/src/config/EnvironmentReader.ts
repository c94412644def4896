import { Redacted } from "effect"

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/**
 * Reads named settings from the environment and collects every problem instead of stopping at the first. A problem
 * names the variable and the expected form, never the value. An empty or blank variable counts as not set.
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
    const value = this.#environment[name]?.trim()
    return value === "" ? undefined : value
  }

  /** A text that prints as `<redacted>`. */
  secret(name: string): Redacted.Redacted | undefined {
    const value = this.text(name)
    return value === undefined ? undefined : Redacted.make(value)
  }

  /** A whole number from `minimum` to `maximum`. */
  integer(name: string, minimum: number, maximum: number): number | undefined {
    const value = this.text(name)
    if (value === undefined) return undefined
    const number = /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN
    if (number >= minimum && number <= maximum) return number
    this.problem(name, `expected a whole number from ${minimum} to ${maximum}`)
    return undefined
  }

  /** An absolute URL of one of `protocols` (`"https:"`). */
  url(name: string, protocols: ReadonlyArray<string>): string | undefined {
    const value = this.text(name)
    if (value === undefined) return undefined
    if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) return value
    this.problem(name, `expected a URL that begins with ${protocols.map((each) => `${each}//`).join(" or ")}`)
    return undefined
  }

  /** True for `1` and `true`, false for `0`, `false` and not set. */
  flag(name: string): boolean {
    const value = this.text(name)?.toLowerCase()
    if (value === "1" || value === "true") return true
    if (value !== undefined && value !== "0" && value !== "false") this.problem(name, "expected 1 or 0")
    return false
  }

  /** Comma-separated words out of `choices`; no word twice. */
  list<Choice extends string>(name: string, choices: ReadonlyArray<Choice>): ReadonlyArray<Choice> | undefined {
    const value = this.text(name)
    if (value === undefined) return undefined
    const words = value.split(",").map((word) => word.trim().toLowerCase())
    const known = choices.filter((choice) => words.includes(choice))
    if (known.length === new Set(words).size) return known
    this.problem(name, `expected some of ${choices.join(",")}`)
    return undefined
  }

  /** One of `choices`, in any case. */
  choice<Choice extends string>(name: string, choices: ReadonlyArray<Choice>): Choice | undefined {
    const value = this.text(name)?.toLowerCase()
    if (value === undefined) return undefined
    const found = choices.find((choice) => choice.toLowerCase() === value)
    if (found === undefined) this.problem(name, `expected one of ${choices.join(", ")}`)
    return found
  }

  problem(name: string, expected: string): void {
    this.problems.push(`${name}: ${expected}`)
  }
}
