import { AuditLog } from "@parley/core/adapter"
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { checkMigrated } from "../../running/checkMigrated.ts"
import { CommandContext } from "../../running/CommandContext.ts"
import { dryRunFlag, jsonFlag, printResult } from "../../running/output.ts"
import { byFlag, reasonFlag } from "../flags.ts"
import { cellArgument, readBuckets, requireCells } from "./cellInputs.ts"

const bucketsFlag = Flag.String("buckets").pipe(
  Flag.withDescription("The buckets, 0 to 4095, as numbers and ranges: 0-2047,3000. Each has 1/4096 of all people")
)

/** `parley cells assign <cell> --buckets <ranges>` */
export const cellsAssignCommand = Command.make(
  "assign",
  {
    cell: cellArgument,
    buckets: bucketsFlag,
    reason: Flag.optional(reasonFlag),
    by: byFlag,
    dryRun: dryRunFlag,
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ by, cell, dryRun, json, ...flags }) {
    const buckets = yield* readBuckets(flags.buckets)
    const work = Effect.gen(function* () {
      yield* checkMigrated
      yield* requireCells
      const { assignBuckets } = yield* Effect.promise(() => import("@parley/adapters-db"))
      yield* assignBuckets(cell, buckets, { dryRun: true })
      const count = `${buckets.length} ${buckets.length === 1 ? "bucket" : "buckets"}`
      if (dryRun) {
        const line = `Would assign ${count} to ${cell}: no people with rows elsewhere are in them.`
        return yield* printResult(json, { dryRun, cell, buckets: buckets.length, stayed: [] }, [line])
      }
      const reason = Option.getOrUndefined(flags.reason)
      const details = `${flags.buckets} to ${cell}`.slice(0, 200)
      yield* AuditLog.use((log) => log.record({ action: "cells assign", by, userId: undefined, reason, details }))
      if (!json) yield* Console.error("Waiting for some seconds, until every server knows of the change.")
      const { stayed } = yield* assignBuckets(cell, buckets, { dryRun: false })
      yield* printResult(json, { dryRun, cell, buckets: buckets.length, stayed }, [
        `Assigned ${count} to ${cell}: new people of them begin there.`,
        ...stayed.map((owner) => `${owner} came meanwhile, and stays in the cell of before.`)
      ])
    })
    yield* CommandContext.use((context) => context.run(work))
  })
).pipe(
  Command.withDescription("Have new people of some buckets begin in a cell; moves no rows"),
  Command.withExamples([
    { command: "parley cells assign eu-2 --buckets 0-2047 --dry-run", description: "Whether people are in the way" },
    { command: "parley cells assign eu-2 --buckets 0-2047", description: "Half of all new people" }
  ])
)
