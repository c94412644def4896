import { globSync } from "node:fs"
import { errorStatuses } from "@parley/core"
import { TooManyReplies } from "@parley/core/effect"
import { problemFrom } from "../../packages/adapters-http/src/problems/Problem.ts"
import {
  type ErrorCode,
  type ProblemKind,
  problemTable
} from "../../packages/adapters-http/src/problems/problemTable.ts"
import { errorRemedies } from "./errorRemedies.ts"
import { cell, code, commentText, generatedPage, table } from "./markdown.ts"
import { root, textOf } from "./sitePages.ts"

/** An error class: its documentation comment, and the codes of its instances. */
interface ErrorClass {
  readonly name: string
  readonly says: string
  readonly codes: ReadonlyArray<string>
  /** True if an instance computes its code, so that the class has several codes. */
  readonly computes: boolean
}

const DECLARATION =
  /(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*)?^export class (\w+) extends (?:Schema\.TaggedError|Error\b)/gm
/**
 * The form of a code in a class's file. If a class computes its code, the codes are such literals elsewhere in the
 * file.
 */
const LITERAL_CODE = /"([a-z]+(?:_[a-z]+)+)"/g

const classesIn = (path: string): ReadonlyArray<ErrorClass> => {
  const text = textOf(path)
  const found = [...text.matchAll(DECLARATION)]
  return found.map((match, index) => {
    const body = text.slice(match.index, found[index + 1]?.index)
    const own = /readonly code = "(\w+)"/.exec(body)?.[1]
    const computed = /get code\(\)/.test(body) ? [...text.matchAll(LITERAL_CODE)].map(([, name = ""]) => name) : []
    const codes = own === undefined ? computed : [own]
    const name = match[2] ?? ""
    return { name, says: commentText(match[1] ?? ""), codes: [...new Set(codes)], computes: own === undefined }
  })
}

/**
 * All error classes of the library packages. A class that computes its code gets those codes of its file that no other
 * class has.
 */
export const errorClasses = (): ReadonlyArray<ErrorClass> => {
  const all = globSync("packages/{core,adapters-*}/src/**/*.ts", { cwd: root })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => !path.includes("/testing/"))
    .toSorted()
    .flatMap(classesIn)
  const own = new Set(all.flatMap(({ codes, computes }) => (computes ? [] : codes)))
  return all.map((each) => (each.computes ? { ...each, codes: each.codes.filter((name) => !own.has(name)) } : each))
}

const statuses: Readonly<Record<number, string>> = {
  400: "The request is wrong; sent again as it is, it fails again",
  401: "Nobody is signed in",
  402: "Credits do not suffice",
  403: "Not allowed",
  404: "Not there",
  405: "Another method",
  408: "Too slow",
  409: "Not in this state",
  413: "Too large",
  422: "Well formed, and cannot be done",
  429: "Too much at once, or in a stretch of time",
  431: "Headers too large",
  500: "Failed on the server's side, or at the model's provider",
  502: "The payment provider",
  503: "Not for now"
}

/**
 * The title of a code, and the documentation of its class if that says more. If a class has several codes, its
 * documentation is left out.
 */
const sayings = (title: string, thrown: ReadonlyArray<ErrorClass>): ReadonlyArray<string> => {
  const says = thrown.filter(({ computes }) => !computes).map((each) => each.says)
  return [`**${title}.**`, ...says.filter((each) => each !== `${title}.`)]
}

/** The sentences about additional fields and headers of the response. */
const additions = ({ mayRetryAfter, members = [], tellsRateLimit }: ProblemKind): ReadonlyArray<string> => {
  const headers = [
    ...(mayRetryAfter ? ["Retry-After"] : []),
    ...(tellsRateLimit ? ["RateLimit", "RateLimit-Policy"] : [])
  ]
  return [
    ...(members.length === 0 ? [] : [`Fields: ${members.map(code).join(", ")}.`]),
    ...(headers.length === 0 ? [] : [`Headers: ${headers.map(code).join(", ")}.`])
  ]
}

const answered = (classes: ReadonlyArray<ErrorClass>): ReadonlyArray<string> => {
  const rows = Object.entries(problemTable) as ReadonlyArray<[ErrorCode, ProblemKind]>
  return [...Map.groupBy(rows, ([, { status }]) => status)].map(([status, kinds]) =>
    [
      `### ${status}: ${statuses[status] ?? ""}`,
      table(
        ["code and class", "cause", "remedy"],
        kinds.map(([name, kind]) => {
          const thrown = classes.filter(({ codes }) => codes.includes(name))
          return [
            [name, ...thrown.map((each) => each.name)].map(code).join("<br>"),
            cell([...sayings(kind.title, thrown), ...additions(kind)].join(" ")),
            cell(errorRemedies[name])
          ]
        })
      )
    ].join("\n\n")
  )
}

const statusOf = (name: string): string => String((errorStatuses as Readonly<Record<string, number>>)[name] ?? "")

const remedyOf = (name: string): string => cell((errorRemedies as Readonly<Record<string, string>>)[name] ?? "")

const unanswered = (classes: ReadonlyArray<ErrorClass>): string =>
  table(
    ["code and class", "status", "cause", "remedy"],
    classes.flatMap(({ codes, name, says }) =>
      codes.length === 1 && !Object.hasOwn(problemTable, codes[0] ?? "")
        ? [[`${code(codes[0] ?? "")}<br>${code(name)}`, statusOf(codes[0] ?? ""), cell(says), remedyOf(codes[0] ?? "")]]
        : []
    )
  )

const example = new TooManyReplies({ tier: "free", tierName: "Free", limit: 2, retryAfterMs: 1_000 })

/** The page of all errors: the HTTP response of each, and the errors that only programs and operators see. */
export const errorsPage = (): string => {
  const classes = errorClasses()
  return generatedPage("Errors", [
    "On this page you find every failure, with its code, its class, its cause and its remedy. In a program a failure is an instance of a class with a `_tag` (the name of the class) and a `code`; over HTTP it is `application/problem+json` ([RFC 9457](https://www.rfc-editor.org/rfc/rfc9457)) with that `code`. Programs should use the code, whose meaning never changes; the sentence is for people.",
    "```json\n" + JSON.stringify(problemFrom(example, "0198a3f2-6c1d-7e54-9b0a-3d5f4c2e1a77"), undefined, 2) + "\n```",
    "Fields are the additional members of the problem. `Retry-After` is the time to wait in seconds, if it is known; `RateLimit` describes the exhausted limit. Any other failure is answered as `internal_error`, and the log has the `requestId`.",
    "## Answered over HTTP",
    ...answered(classes),
    "## Met in programs and by operators",
    "No route answers with these codes: services, commands and workers meet them, and one that reaches a route all the same is answered as `internal_error`. Those with a status may be what a call of `createParley` rejects with; the status is the one that `errorStatuses` has for servers of your own, and `isParleyError` knows them from other errors. The services handle those without a status, which need no remedy.",
    unanswered(classes)
  ])
}
