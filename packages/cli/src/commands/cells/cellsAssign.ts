import type { AssignRefused } from "@parley/adapters-db"
import { AuditLog } from "@parley/core/adapter"
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { exitCodes } from "../../exitCodes.ts"
import { checkMigrated } from "../../running/checkMigrated.ts"
import { CommandContext } from "../../running/CommandContext.ts"
import { Unhealthy } from "../../running/commandErrors.ts"
import { dryRunFlag, jsonFlag, printResult } from "../../running/output.ts"
import { byFlag, reasonFlag } from "../flags.ts"
import { cellArgument, readBuckets, requireCells } from "./cellInputs.ts"
import { busyLines, moveEach } from "./moveEach.ts"

const bucketsFlag = Flag.String("buckets").pipe(
  Flag.withDescription("The buckets, 0 to 4095, as numbers and ranges: 0-2047,3000. Each has 1/4096 of all people")
)

const moveFlag = Flag.Boolean("move").pipe(
  Flag.withDescription("First move the people of these buckets who are in other cells"),
  Flag.withDefault(false)
)

const HINT = "With --move the command does so."

const people = (count: number): string => (count === 1 ? "1 person" : `${count} people`)

/** `parley cells assign <cell> --buckets <ranges>` */
export const cellsAssignCommand = Command.make(
  "assign",
  {
    cell: cellArgument,
    buckets: bucketsFlag,
    move: moveFlag,
    reason: Flag.optional(reasonFlag),
    by: byFlag,
    dryRun: dryRunFlag,
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ by, cell, dryRun, json, move, ...flags }) {
    const buckets = yield* readBuckets(flags.buckets)
    const count = `${buckets.length} ${buckets.length === 1 ? "bucket" : "buckets"}`
    const work = Effect.gen(function* () {
      yield* checkMigrated
      const { byName, moves } = yield* requireCells
      const { moving } = yield* Effect.promise(() => import("@parley/adapters-db"))
      const assign = (dry: boolean) =>
        moving(() => moves.assign(cell, buckets, { dryRun: dry })).pipe(
          Effect.catchTag("AssignRefused", (error): Effect.Effect<never, AssignRefused | Unhealthy> =>
            move || error.problem !== "has-owners"
              ? Effect.fail(error)
              : Effect.andThen(Console.error(`${error.message} ${HINT}`), new Unhealthy({ exit: exitCodes.refused }))
          )
        )
      const others = move ? [...byName.keys()].filter((name) => name !== cell) : []
      if (!move) yield* assign(true)
      if (dryRun) {
        const { owners } = yield* moveEach({ from: others, to: cell, buckets, dryRun })
        const moves = move ? ` after moving ${people(owners)}` : ""
        const line = `Would assign ${count} to ${cell}${moves}.`
        return yield* printResult(json, { dryRun, cell, buckets: buckets.length, owners, moved: 0, busy: [] }, [line])
      }
      const reason = Option.getOrUndefined(flags.reason)
      const details = `${flags.buckets} to ${cell}`.slice(0, 200)
      yield* AuditLog.use((log) => log.record({ action: "cells assign", by, userId: undefined, reason, details }))
      const report = yield* moveEach({ from: others, to: cell, buckets, dryRun })
      const facts = { dryRun, cell, buckets: buckets.length, ...report }
      if (report.busy.length > 0) {
        yield* printResult(json, facts, [`Moved ${people(report.moved)}.`, ...busyLines(report.busy)])
        return yield* new Unhealthy({ exit: exitCodes.failed })
      }
      yield* assign(false)
      const moved = move ? `Moved ${people(report.moved)}, and assigned` : "Assigned"
      yield* printResult(json, facts, [`${moved} ${count} to ${cell}: new people of them begin there.`])
    })
    yield* CommandContext.use((context) => context.run(work, { direct: true }))
  })
).pipe(
  Command.withDescription(
    "Have new people of some buckets begin in a cell, and with --move the present ones live there"
  ),
  Command.withExamples([
    { command: "parley cells assign eu-2 --buckets 0-2047 --dry-run", description: "Whether people are in the way" },
    { command: "parley cells assign eu-2 --buckets 4000-4095 --move", description: "Move these people, safe to repeat" }
  ])
)
