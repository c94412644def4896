import { Context } from "effect"
import type { Row } from "../Database.ts"

/** Sends one statement over the new connection. */
export type AskOnce = (text: string) => Promise<ReadonlyArray<Row>>

/**
 * Is called for each connection that a pool opens, before its first use. A rejection closes the connection, and is the cause
 * of the `DatabaseError` of the statement that waited for it.
 */
export const ConnectionCheck = Context.Reference<((ask: AskOnce) => Promise<void>) | undefined>(
  "@parley/adapters-db/ConnectionCheck",
  { defaultValue: () => undefined }
)
