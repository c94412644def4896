import { StorageFailed } from "@parley/core/adapter"
import { DatabaseError, MOVED } from "../../database/Database.ts"

export { MOVED }

/** The server or its database refuses connections, or is not there. */
const AWAY = /^(08|28|3D000$|53300$|55000$|57P0[1-5]$)/

const databaseErrorOf = (error: unknown): DatabaseError | undefined =>
  error instanceof StorageFailed && error.cause instanceof DatabaseError ? error.cause : undefined

/** True if a cell refused a write because its owner has moved. */
export const isMoved = (error: unknown): boolean => databaseErrorOf(error)?.sqlState === MOVED

/** True if a lock was not free in time: perhaps that of a move, which erases what the owner left. */
export const isLocked = (error: unknown): boolean => databaseErrorOf(error)?.sqlState === "55P03"

/** The failure of work that would have to run in another cell. */
export const movedAway = (): StorageFailed => {
  const cause = new DatabaseError({ sqlState: MOVED, cause: new Error("The owner lives in another cell.") })
  return new StorageFailed({ operation: "Cells.hereSince", retryable: true, cause })
}

/** True if the database did not answer. */
const isAway = (error: unknown): boolean => {
  const cause = databaseErrorOf(error)
  if (cause === undefined || cause.closed === true) return false
  return cause.sqlState === undefined || AWAY.test(cause.sqlState)
}

/** The failure of a call as people see it: with the cell's name if the cell did not answer, or refused the owner for too long. */
export const named = (cell: string, error: unknown): unknown => {
  if (!(error instanceof StorageFailed) || error.cell !== undefined) return error
  const { cause, operation, retryAfterMs, retryable } = error
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs }
  // The owner is being moved, or the cell is being split: a later try finds the new place.
  if (isMoved(error)) return new StorageFailed({ operation, retryable: true, cell, cause })
  return isAway(error) ? new StorageFailed({ operation, retryable, ...wait, cell, cause }) : error
}
