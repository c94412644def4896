import { Context } from "effect"
import type { Row } from "../Database.ts"

/** Sends one statement over the new connection. */
export type AskOnce = (text: string) => Promise<ReadonlyArray<Row>>

/**
 * Is called for each connection before its first use, and again before its next one while it returns false: there is nothing
 * to compare it with yet. A rejection closes the connection, and is the cause of the `DatabaseError` of the statement that
 * waited for it.
 */
export type ConnectionChecking = (ask: AskOnce) => Promise<boolean>

export const ConnectionCheck = Context.Reference<ConnectionChecking | undefined>(
  "@parley/adapters-db/ConnectionCheck",
  { defaultValue: () => undefined }
)
