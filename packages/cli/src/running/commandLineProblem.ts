import { JOB_STATES, TRANSACTION_TYPES } from "@parley/core/adapter"
import type { CliError } from "effect/cli"

const LONGEST_QUOTE = 80

/** Typed text in printable form: without control characters, and shortened. */
const quoted = (text: string): string =>
  JSON.stringify(text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}...` : text)

/** The expected value of each argument and option, by its name. */
const expectations: Readonly<Record<string, string>> = {
  user: "a person's id of 1 to 255 characters",
  amount: "a whole number of credits, 1 or more",
  limit: "a whole number from 1 to 200",
  offset: "a whole number, 0 or more",
  type: `one of ${TRANSACTION_TYPES.join(", ")}`,
  key: "1 to 255 characters, such as an order number",
  job: "a job's id, a UUID",
  document: "a document's id, a UUID",
  restart: "true or false, or nothing",
  cell: "the name of a cell, as PARLEY_CELLS has it",
  buckets: "numbers from 0 to 4095 and ranges of them, such as 0-2047,3000",
  state: `one of ${JOB_STATES.join(", ")}`,
  kind: "the name of a kind of job, such as ProcessDocument",
  after: "what the page before gave as next",
  "as-of": "a moment in ISO 8601, such as 2026-12-01T00:00:00Z",
  since: "a moment in ISO 8601, such as 2026-12-01T00:00:00Z",
  "log-level": "one of all, trace, debug, info, warn, error, fatal, none",
  completions: "one of bash, zsh, fish, powershell",
  "dry-run": "true or false, or nothing",
  json: "true or false, or nothing",
  live: "true or false, or nothing",
  yes: "true or false, or nothing"
}

const wrongValue = ({ kind, option, value }: CliError.InvalidValue): string => {
  const name = kind === "argument" ? `<${option}>` : `--${option}`
  const takes = expectations[option]
  if (takes === undefined) return value === "" ? `${name} is empty.` : `${name} cannot be ${quoted(value)}.`
  return value === "" ? `${name} is empty: it takes ${takes}.` : `${name} takes ${takes}, not ${quoted(value)}.`
}

const perhaps = (suggestions: ReadonlyArray<string>): string =>
  suggestions.length === 0 ? "" : ` Did you mean ${suggestions.map((each) => quoted(each)).join(" or ")}?`

/** The problem of a command line, in a sentence of ours: the library's messages describe its internals. */
export const commandLineProblem = (error: CliError.CliError): string => {
  switch (error._tag) {
    case "UnrecognizedOption":
      return `There is no option ${quoted(error.option)} here.${perhaps(error.suggestions)}`
    case "UnknownSubcommand":
      return `There is no command ${quoted(error.subcommand)}.${perhaps(error.suggestions)}`
    case "MissingOption":
      return `--${error.option} is missing: it takes ${expectations[error.option] ?? "a value"}.`
    case "MissingArgument":
      return `<${error.argument}> is missing: it takes ${expectations[error.argument] ?? "a value"}.`
    case "UnexpectedArgument":
      return `Too many arguments: ${error.arguments.map(quoted).join(", ")}.`
    case "InvalidValue":
      return wrongValue(error)
    default:
      return "The command line was not understood."
  }
}
