import { listCells, type ListedCell } from "@parley/adapters-db"
import { Effect } from "effect"
import { exitCodes } from "../../exitCodes.ts"
import { type Check, failed, note, ok } from "../Check.ts"

const NAME = "cells"

const described = ({ buckets, name, placements, state }: ListedCell): string =>
  `${name} has ${buckets} buckets and ${placements} owners of their own${state === "draining" ? ", and is draining" : ""}`

const checkOf = (cell: ListedCell): Check => {
  const { buckets, database, name, placements, state } = cell
  if (database === "unset" && buckets + placements > 0) {
    return failed(
      NAME,
      exitCodes.configuration,
      `the directory has people in ${name}, which PARLEY_CELLS does not name: their requests fail`,
      "Add it with its connection string."
    )
  }
  if (database === "unset") return note(NAME, `${name} has no people and is not configured`, "It may stay so.")
  if (database === "copy") {
    const detail = `${name} takes no part: its database is a copy of another cell that has not been split yet`
    return note(NAME, detail, "Split the cell with parley cells split, or take it out of PARLEY_CELLS.")
  }
  if (state === "unknown" && database === "absent")
    return note(NAME, `${name} takes no part: it is not in the directory, and is not ready`, "It may stay so.")
  if (state === "unknown")
    return note(NAME, `${name} is not in the directory, and has no people`, `Add it with "parley cells add ${name}".`)
  return ok(NAME, described(cell))
}

/** Checks that the directory and the configuration name the same cells. */
export const directoryChecks = Effect.map(listCells, (cells) => cells.map(checkOf)).pipe(
  Effect.catchTag("StorageFailed", () =>
    Effect.succeed([
      failed(
        NAME,
        exitCodes.unavailable,
        "the directory could not be read",
        "Check the global database (DATABASE_URL)."
      )
    ])
  )
)
