import { AuditLog } from "@parley/core/adapter"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { CommandContext } from "../../running/CommandContext.ts"
import { dryRunFlag, jsonFlag, printResult } from "../../running/output.ts"
import { byFlag, reasonFlag } from "../flags.ts"
import { cellArgument, requireCells } from "./cellInputs.ts"

/** `parley cells drain <cell>` */
export const cellsDrainCommand = Command.make(
  "drain",
  { cell: cellArgument, reason: Flag.optional(reasonFlag), by: byFlag, dryRun: dryRunFlag, json: jsonFlag },
  Effect.fnUntraced(function* ({ by, cell, dryRun, json, ...flags }) {
    const work = Effect.gen(function* () {
      yield* requireCells
      const { drainCell } = yield* Effect.promise(() => import("@parley/adapters-db"))
      const reason = Option.getOrUndefined(flags.reason)
      const entry = { action: "cells drain", by, userId: undefined, reason, details: cell }
      const log = yield* AuditLog
      const { buckets, placements } = yield* drainCell(cell, { dryRun, onBegin: log.record(entry) })
      const rest = `${buckets} buckets and ${placements} single owners are in it`
      yield* printResult(json, { dryRun, cell, buckets, placements }, [
        `The cell ${cell} ${dryRun ? "would take" : "takes"} no more buckets and moved people: ${rest}.`,
        `"parley cells add ${cell}" takes this back.`
      ])
    })
    yield* CommandContext.use((context) => context.run(work))
  })
).pipe(
  Command.withDescription("Have a cell take no more buckets and people, before they are moved out of it"),
  Command.withExamples([{ command: "parley cells drain eu-1", description: "Before it is shut down" }])
)
