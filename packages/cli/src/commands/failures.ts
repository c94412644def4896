import { Cause, Option } from "effect"
import { exitCodeOfSignal, exitCodes } from "../exitCodes.ts"

/** How a command ends: its exit code, and what is said on stderr, if anything is left to say. */
export interface Ending {
  readonly exit: number
  readonly message: string | undefined
}

interface Failure {
  readonly _tag?: string
  readonly message?: string
  readonly retryable?: boolean
  readonly exit?: number
  readonly signal?: "SIGINT" | "SIGTERM"
  readonly errors?: ReadonlyArray<unknown>
  readonly cause?: unknown
  readonly code?: unknown
  readonly sqlState?: string
}

const codeOfTag: Readonly<Record<string, number>> = {
  ConfigInvalid: exitCodes.configuration,
  DataFolderUnusable: exitCodes.configuration,
  AccountNotFound: exitCodes.notFound,
  NoDatabaseYet: exitCodes.notFound,
  KeyConflict: exitCodes.refused,
  InvalidAmount: exitCodes.refused,
  ResetTooEarly: exitCodes.refused
}

/**
 * The system's or Postgres's code of a failed connection or statement, found along the causes: a code names what went
 * wrong and carries nothing of what was sent.
 */
export const storageCode = (error: unknown): string | undefined => {
  let current = error as Failure | undefined
  for (let depth = 0; depth < 6 && typeof current === "object" && current !== null; depth += 1) {
    if (typeof current.sqlState === "string") return current.sqlState
    const inner = current.cause ?? (current as { errors?: ReadonlyArray<unknown> }).errors?.[0]
    if (inner === undefined) return typeof current.code === "string" ? current.code : undefined
    current = inner as Failure
  }
  return undefined
}

/** What to say of a database that failed. */
export const explainStorage = (error: unknown): string => {
  const code = storageCode(error)
  const told = code === undefined ? "" : ` (${code})`
  return `The database did not answer as it should${told}. Check DATABASE_URL and that the database runs; "parley doctor" tells more.`
}

const endingOf = (failure: Failure): Ending => {
  switch (failure._tag) {
    case "Exited":
    case "Unhealthy":
      return { exit: failure.exit ?? exitCodes.failed, message: undefined }
    case "Interrupted":
      return { exit: exitCodeOfSignal(failure.signal ?? "SIGINT"), message: failure.message }
    case "ShowHelp":
      return { exit: (failure.errors ?? []).length > 0 ? exitCodes.usage : exitCodes.ok, message: undefined }
    case "StorageFailed":
    case "DatabaseError":
      return {
        exit: failure.retryable === true ? exitCodes.unavailable : exitCodes.failed,
        message: explainStorage(failure)
      }
    default:
      return { exit: codeOfTag[failure._tag ?? ""] ?? exitCodes.failed, message: failure.message }
  }
}

/** How a command that failed ends. A defect is told whole, as it is a mistake of the program. */
export const endingOfCause = (cause: Cause.Cause<unknown>): Ending => {
  const failure = Cause.findErrorOption(cause)
  if (Option.isSome(failure)) return endingOf(failure.value as Failure)
  if (Cause.hasInterruptsOnly(cause)) return { exit: exitCodeOfSignal("SIGINT"), message: undefined }
  return { exit: exitCodes.failed, message: `An unexpected error: ${Cause.pretty(cause)}` }
}
