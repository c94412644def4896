import { parseArgs } from "node:util"
import { type Choices, findAnswer, QUESTION_NAMES, QUESTIONS } from "./Choices.ts"

/** The parsed command line. Questions without an answer are asked, unless `yes` chooses their defaults. */
export interface Arguments {
  readonly folder: string
  readonly answers: Partial<Choices>
  readonly yes: boolean
  readonly help: boolean
}

/** An invalid command line; the message names the problem. */
export class UsageError extends Error {}

const DEFAULT_FOLDER = "parley-app"

export const HELP = [
  "Usage: npm create parley [folder] -- [options]",
  "",
  `Writes a project with Parley into a new folder (${DEFAULT_FOLDER}).`,
  "",
  ...QUESTION_NAMES.map((name) => `  --${name} ${QUESTIONS[name].answers.map(({ value }) => value).join("|")}`),
  "  --yes   ask nothing: the first of each where no option says otherwise",
  ""
].join("\n")

const parse = (argv: ReadonlyArray<string>) => {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        framework: { type: "string" },
        database: { type: "string" },
        "sign-in": { type: "string" },
        yes: { type: "boolean", short: "y", default: false },
        help: { type: "boolean", short: "h", default: false }
      }
    })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

const readAnswer = <Name extends keyof Choices>(name: Name, value: string | undefined): Partial<Choices> => {
  if (value === undefined) return {}
  const answer = findAnswer<Choices[Name]>(QUESTIONS[name], value)
  if (answer !== undefined) return { [name]: answer }
  const possible = QUESTIONS[name].answers.map((each) => each.value).join(", ")
  throw new UsageError(`--${name} takes one of: ${possible}.`)
}

/** Parses the arguments after the program's name; throws a `UsageError` for an unknown argument. */
export const readArguments = (argv: ReadonlyArray<string>): Arguments => {
  const { positionals, values } = parse(argv)
  const [folder = DEFAULT_FOLDER, ...more] = positionals
  if (more.length > 0) throw new UsageError(`One folder is possible; ${more.join(" ")} is more.`)
  const answers = Object.assign({}, ...QUESTION_NAMES.map((name) => readAnswer(name, values[name]))) as Partial<Choices>
  return { folder, answers, yes: values.yes, help: values.help }
}
