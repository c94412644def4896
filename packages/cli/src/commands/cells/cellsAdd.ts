import { AuditLog } from "@parley/core/adapter"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { CommandContext } from "../../running/CommandContext.ts"
import { dryRunFlag, jsonFlag, printResult } from "../../running/output.ts"
import { byFlag, reasonFlag } from "../flags.ts"
import { cellArgument, requireCells } from "./cellInputs.ts"

interface Mended {
  readonly references: number
  readonly keys: number
  readonly conflicts: ReadonlyArray<string>
}

/** The lines about names that the directory lacked: after a restore, or for a cell with people. */
const mendedLines = (mended: Mended | undefined): ReadonlyArray<string> => {
  if (mended === undefined) return []
  const { conflicts, keys, references } = mended
  return [
    ...(references + keys === 0
      ? []
      : [`Added ${references} payment references and ${keys} bot keys to the directory.`]),
    ...conflicts.map((reference) => `${reference}: the directory has this payment reference for another person.`)
  ]
}

/** `parley cells add <cell>` */
export const cellsAddCommand = Command.make(
  "add",
  { cell: cellArgument, reason: Flag.optional(reasonFlag), by: byFlag, dryRun: dryRunFlag, json: jsonFlag },
  Effect.fnUntraced(function* ({ by, cell, dryRun, json, ...flags }) {
    const work = Effect.gen(function* () {
      const { mend } = yield* requireCells
      const { addCell } = yield* Effect.promise(() => import("@parley/adapters-db"))
      const before = yield* addCell(cell, { dryRun: true })
      const changes = before !== "open"
      if (changes && !dryRun) {
        const reason = Option.getOrUndefined(flags.reason)
        yield* AuditLog.use((log) => log.record({ action: "cells add", by, userId: undefined, reason, details: cell }))
        yield* addCell(cell, { dryRun: false })
      }
      const mended = dryRun ? undefined : (yield* mend([cell])).get(cell)
      const done = dryRun ? "Would add" : "Added"
      const line = !changes
        ? `The cell ${cell} takes people already.`
        : before === undefined
          ? `${done} the cell ${cell}. It gets people with "parley cells assign" or "parley cells move".`
          : `The cell ${cell} ${dryRun ? "would take" : "takes"} people again.`
      yield* printResult(
        json,
        { dryRun, cell, before: before ?? null, changed: changes && !dryRun, mended: mended ?? null },
        [line, ...mendedLines(mended)]
      )
    })
    yield* CommandContext.use((context) => context.run(work, { direct: true }))
  })
).pipe(
  Command.withDescription("Register a migrated cell of PARLEY_CELLS; a draining cell takes people again"),
  Command.withExamples([
    { command: "parley cells add eu-2 --dry-run", description: "Check that it answers, is migrated and no other cell" },
    { command: "parley cells add eu-2", description: "Register it, still without people" }
  ])
)
