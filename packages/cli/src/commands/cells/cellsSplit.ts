import { AuditLog } from "@parley/core/adapter"
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { checkMigrated } from "../../running/checkMigrated.ts"
import { CommandContext } from "../../running/CommandContext.ts"
import { dryRunFlag, jsonFlag, printResult } from "../../running/output.ts"
import { byFlag, reasonFlag } from "../flags.ts"
import { cellArgument, readBuckets, requireCells } from "./cellInputs.ts"

const replicaFlag = Flag.String("to").pipe(
  Flag.withDescription("The new cell: PARLEY_CELLS names a streaming replica of the cell under it")
)

const bucketsFlag = Flag.String("buckets").pipe(
  Flag.withDescription(
    "The buckets whose people go along, such as 2048-4095; the upper half of the cell's unless given"
  ),
  Flag.optional
)

/** The lines about the steps that an operator waits for. */
const LINES: Readonly<Record<string, string>> = {
  frozen: "The people who go along write again when the split has ended.",
  followed: "The replica has all of their rows.",
  promoted: "The replica is promoted.",
  placed: "The directory has the new cell."
}

const onStep = (step: string) => {
  const line = LINES[step]
  return line === undefined ? Effect.void : Console.error(line)
}

const WAIT = "Promote the replica now, with the means of its provider. The command goes on when it is promoted."

/** `parley cells split <cell> --to <cell>` */
export const cellsSplitCommand = Command.make(
  "split",
  {
    cell: cellArgument,
    to: replicaFlag,
    buckets: bucketsFlag,
    reason: Flag.optional(reasonFlag),
    by: byFlag,
    dryRun: dryRunFlag,
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ by, cell, dryRun, json, to, ...flags }) {
    const ranges = Option.getOrUndefined(flags.buckets)
    const buckets = ranges === undefined ? undefined : yield* readBuckets(ranges)
    const work = Effect.gen(function* () {
      yield* checkMigrated
      yield* requireCells
      const { splitNamed } = yield* Effect.promise(() => import("@parley/adapters-db"))
      const reason = Option.getOrUndefined(flags.reason)
      const details = `${cell} to ${to}${ranges === undefined ? "" : `, ${ranges}`}`.slice(0, 200)
      const log = yield* AuditLog
      const onBegin = log.record({ action: "cells split", by, userId: undefined, reason, details })
      const onWait = Console.error(WAIT)
      const found = yield* splitNamed({ from: cell, to, buckets, dryRun, onBegin, onStep, onWait })
      const { buckets: count, isEnded, people } = found
      const facts = { dryRun, cell, to, buckets: count, people, ended: isEnded }
      const line = isEnded
        ? `${to} was split off from ${cell} already.`
        : `${dryRun ? "Would split" : "Split"} ${cell}: ${count} buckets with ${people} people ${dryRun ? "would go" : "went"} to ${to}.`
      const rest =
        isEnded || dryRun ? [] : ["Workers erase the rows that each of the two cells has of the other's people."]
      yield* printResult(json, facts, [line, ...rest])
    })
    yield* CommandContext.use((context) => context.run(work, { direct: true }))
  })
).pipe(
  Command.withDescription("Make the replica of a cell a cell of its own, with half of the people"),
  Command.withExamples([
    {
      command: "parley cells split eu-1 --to eu-2 --dry-run",
      description: "Whether the replica follows, and the people"
    },
    { command: "parley cells split eu-1 --to eu-2", description: "Safe to repeat if it was interrupted" }
  ])
)
