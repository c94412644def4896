import { Cause, Option } from "effect"
import type { Environment } from "../config/EnvironmentReader.ts"
import { exitCodeOfSignal, exitCodes } from "../exitCodes.ts"
import { databaseTrouble, explainDatabase } from "./explainDatabase.ts"

/** The end of a command: its exit code, and its message on stderr, if there is one left to print. */
export interface Ending {
  readonly exit: number
  readonly message: string | undefined
}

interface Failure {
  readonly _tag?: string
  readonly message?: string
  readonly exit?: number
  readonly signal?: "SIGINT" | "SIGTERM"
  readonly errors?: ReadonlyArray<unknown>
  readonly sqlState?: string
  readonly migrations?: ReadonlyArray<string>
}

const codeOfTag: Readonly<Record<string, number>> = {
  ConfigInvalid: exitCodes.configuration,
  ArchiveNotWritten: exitCodes.usage,
  AssignRefused: exitCodes.refused,
  SplitRefused: exitCodes.refused,
  CellNotOpen: exitCodes.refused,
  CellRefused: exitCodes.refused,
  CellsNotConfigured: exitCodes.configuration,
  CopyRefused: exitCodes.refused,
  FileNotRead: exitCodes.usage,
  DataFolderUnusable: exitCodes.configuration,
  AccountNotFound: exitCodes.notFound,
  BotNotFound: exitCodes.notFound,
  BotKeyNotFound: exitCodes.notFound,
  DocumentNotFound: exitCodes.notFound,
  DocumentForbidden: exitCodes.refused,
  DocumentNotIndexed: exitCodes.refused,
  InvalidBot: exitCodes.usage,
  LastBotKey: exitCodes.refused,
  TooManyBotKeys: exitCodes.refused,
  TooManyBots: exitCodes.refused,
  UnknownTier: exitCodes.usage,
  UsageMistake: exitCodes.usage,
  TiersMissing: exitCodes.configuration,
  JobNotFound: exitCodes.notFound,
  UserNotFound: exitCodes.notFound,
  ServiceKeyNotFound: exitCodes.notFound,
  ServiceKeyInactive: exitCodes.refused,
  InvalidInput: exitCodes.usage,
  PassedSocketUnusable: exitCodes.configuration,
  PaymentEventNotFound: exitCodes.notFound,
  PaymentsNotConfigured: exitCodes.configuration,
  PaymentUnavailable: exitCodes.unavailable,
  SecretsNotConfigured: exitCodes.configuration,
  HoldsOpen: exitCodes.refused,
  MoveRefused: exitCodes.refused,
  OwnerBusy: exitCodes.refused,
  LinesRefused: exitCodes.refused,
  NoDatabaseYet: exitCodes.notFound,
  PurchaseNotFound: exitCodes.notFound,
  PurchaseConflict: exitCodes.refused,
  JobNotFailed: exitCodes.refused,
  KeyConflict: exitCodes.refused,
  VectorIndexRefused: exitCodes.refused,
  InvalidAmount: exitCodes.refused,
  ResetTooEarly: exitCodes.refused
}

/** SQLSTATEs of a migration that fails because of the server, not because of the migration. */
const OF_THE_SERVER = /^(08|53|57|58|0A000$|22023$|25006$|42501$|42704$)/

/** A failed migration: its text is the program's own, so a code is more useful than the server's message. */
export const endingOfMigration = ({ message, migrations = [], sqlState }: Failure): Ending => {
  if (sqlState === undefined) return { exit: exitCodes.failed, message }
  const begun = `The migration ${migrations.join(", ")} failed and left nothing behind`
  if (!OF_THE_SERVER.test(sqlState)) {
    return { exit: exitCodes.failed, message: `${begun} (${sqlState}). The server's log tells the statement.` }
  }
  const { advice, detail } = databaseTrouble({ sqlState })
  return { exit: exitCodes.unavailable, message: `${begun}: ${detail}. ${advice}` }
}

/** The end of a command that fails so. */
export const endingOfFailure = (error: unknown): Ending => endingOf(Object(error) as Failure)

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
      return { exit: exitCodes.unavailable, message: explainDatabase(failure) }
    case "MigrationRefused":
      return endingOfMigration(failure)
    default:
      return { exit: codeOfTag[failure._tag ?? ""] ?? exitCodes.failed, message: failure.message }
  }
}

const MISTAKE =
  "Parley made a mistake and ended this command. Run it again with LOG_LEVEL=debug to see all of it, and report it."

/** A package that the operator has to install: no mistake of the program. */
const missingPackage = (cause: Cause.Cause<unknown>): string | undefined => {
  const { code, message } = Object(Cause.squash(cause)) as { readonly code?: unknown; readonly message?: string }
  return code === "package_missing" ? message : undefined
}

/**
 * The end of a failed command. A defect is a bug of the program: it is printed in full if the LOG_LEVEL of the
 * environment asks for it.
 */
export const endingOfCause = (cause: Cause.Cause<unknown>, environment: Environment): Ending => {
  const failure = Cause.findErrorOption(cause)
  if (Option.isSome(failure)) return endingOf(failure.value as Failure)
  const missing = missingPackage(cause)
  if (missing !== undefined) return { exit: exitCodes.configuration, message: missing }
  if (Cause.hasInterruptsOnly(cause)) return { exit: exitCodeOfSignal("SIGINT"), message: undefined }
  const whole = ["debug", "trace"].includes(environment["LOG_LEVEL"]?.trim().toLowerCase() ?? "")
  return { exit: exitCodes.failed, message: whole ? `${MISTAKE}\n${Cause.pretty(cause)}` : MISTAKE }
}
