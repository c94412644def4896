import { Result, Effect } from "effect"
import { InvalidWork } from "../errors.ts"
import type { ReceiptLine, WorkReceiptDraft } from "../Transaction.ts"
import { problemOfLines } from "../rules/price.ts"
import { parseSpender } from "../Spender.ts"
import type { WorkBound, WorkName, WorkReport } from "./Metering.ts"
import { isWorkKey } from "./workKey.ts"

/**
 * The maximum length of a result as JSON text: the result is stored with the ledger row, which every page of the
 * history reads.
 */
const MAX_CHARACTERS = 16_384

/**
 * Returns true for an object literal, from this JavaScript realm or another. JSON would drop the class of any other
 * instance.
 */
const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

const nameOf = (value: unknown): string => {
  if (typeof value !== "object") return typeof value === "number" ? String(value) : typeof value
  return value?.constructor.name || "object"
}

/** Returns the path and kind of the first part of a value that JSON would change; undefined if there is none. */
const notJson = (value: unknown, path: string): string | undefined => {
  if (value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value))
    return undefined
  if (Array.isArray(value)) return firstOf(Array.from(value, (item, place) => notJson(item, `${path}[${place}]`)))
  if (typeof value !== "object" || !isPlain(value)) return `${path} is a value of the kind ${nameOf(value)}`
  const entries = Object.entries(value).filter(([, each]) => each !== undefined)
  return firstOf(entries.map(([name, each]) => notJson(each, `${path}.${name}`)))
}

const firstOf = (problems: ReadonlyArray<string | undefined>) => problems.find((problem) => problem !== undefined)

/**
 * Returns the result of work as JSON text, undefined if there is no result; or a description of the problem with it.
 */
export const resultText = (result: unknown): Result.Result<string | undefined, string> => {
  if (result === undefined) return Result.succeed(undefined)
  let text = ""
  try {
    const problem = notJson(result, "result")
    if (problem !== undefined) return Result.fail(`its result is no JSON value: ${problem}`)
    text = JSON.stringify(result)
  } catch {
    // The value contains itself, or is nested too deeply.
    return Result.fail("its result is no JSON value")
  }
  if (text.length > MAX_CHARACTERS) {
    return Result.fail(`its result has ${text.length} characters as JSON, and ${MAX_CHARACTERS} are kept at most`)
  }
  return Result.succeed(text)
}

/** Reads the result of work from its stored text. */
export const resultOf = (text: string | undefined): unknown => (text === undefined ? undefined : JSON.parse(text))

export const checkName = ({ key }: WorkName): Effect.Effect<void, InvalidWork> =>
  isWorkKey(key) ? Effect.void : new InvalidWork({ key: key.slice(0, 200), reason: "its key is not acceptable" })

export const checkSource = ({ key, source }: WorkBound): Effect.Effect<void, InvalidWork> =>
  parseSpender(source) === undefined
    ? new InvalidWork({ key, reason: "its source is none of chat, bot:<id>, meter:<name> and key:<id>" })
    : Effect.void

export const checkLines = (key: string, lines: ReadonlyArray<ReceiptLine>): Effect.Effect<void, InvalidWork> => {
  const problem = problemOfLines(lines)
  return problem === undefined ? Effect.void : new InvalidWork({ key, reason: problem })
}

const MAX_LIFETIME_SECONDS = 86_400

/** Returns the lifetime of a hold in milliseconds; `ttlMs` if the caller gave no lifetime. */
export const lifetimeOf = (
  key: string,
  lifetimeSeconds: number | undefined,
  ttlMs: number
): Effect.Effect<number, InvalidWork> => {
  if (lifetimeSeconds === undefined) return Effect.succeed(ttlMs)
  const isRight = Number.isInteger(lifetimeSeconds) && lifetimeSeconds >= 1 && lifetimeSeconds <= MAX_LIFETIME_SECONDS
  return isRight
    ? Effect.succeed(lifetimeSeconds * 1_000)
    : new InvalidWork({
        key,
        reason: `its lifetime is not a whole number of seconds from 1 to ${MAX_LIFETIME_SECONDS}`
      })
}

/** Returns a report of work in the form in which the ledger stores it. */
export const draftOf = Effect.fnUntraced(function* <A>(key: string, { lines, result }: WorkReport<A>) {
  yield* checkLines(key, lines)
  const text = resultText(result)
  if (Result.isFailure(text)) return yield* new InvalidWork({ key, reason: text.failure })
  return { lines, ended: "completed", result: text.success } satisfies WorkReceiptDraft
})
