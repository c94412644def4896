import { AuditLog } from "@parley/core/adapter"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { exitCodes } from "../../exitCodes.ts"
import { checkMigrated } from "../../running/checkMigrated.ts"
import { CommandContext } from "../../running/CommandContext.ts"
import { Unhealthy } from "../../running/commandErrors.ts"
import { dryRunFlag, jsonFlag, printResult } from "../../running/output.ts"
import { byFlag, reasonFlag } from "../flags.ts"
import { cellArgument, requireCells, toFlag } from "./cellInputs.ts"
import { busyLines, moveEach } from "./moveEach.ts"

/** Moves the people of a draining cell to another one, and gives that one its buckets. */
const empty = Effect.fnUntraced(function* (cell: string, to: string) {
  const { global, moving } = yield* Effect.gen(function* () {
    const { Databases, moving } = yield* Effect.promise(() => import("@parley/adapters-db"))
    return { global: (yield* Databases).global, moving }
  })
  const { moves, sql } = yield* requireCells
  const { onCell } = yield* Effect.promise(() => import("@parley/adapters-db"))
  const report = yield* moveEach({ from: [cell], to, dryRun: false })
  if (report.busy.length > 0) return report
  const { buckets } = yield* onCell(global, sql.read(0, 1))
  const own = [...buckets.keys()].filter((bucket) => buckets[bucket] === cell)
  yield* moving(() => moves.assign(to, own))
  return report
})

/** `parley cells drain <cell>` */
export const cellsDrainCommand = Command.make(
  "drain",
  {
    cell: cellArgument,
    to: Flag.optional(toFlag),
    reason: Flag.optional(reasonFlag),
    by: byFlag,
    dryRun: dryRunFlag,
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ by, cell, dryRun, json, ...flags }) {
    const to = Option.getOrUndefined(flags.to)
    const work = Effect.gen(function* () {
      yield* checkMigrated
      yield* requireCells
      const { drainCell } = yield* Effect.promise(() => import("@parley/adapters-db"))
      const reason = Option.getOrUndefined(flags.reason)
      const details = to === undefined ? cell : `${cell} to ${to}`
      const log = yield* AuditLog
      const onBegin = log.record({ action: "cells drain", by, userId: undefined, reason, details })
      const { buckets, placements } = yield* drainCell(cell, { dryRun, onBegin })
      const facts = { dryRun, cell, to: to ?? null, buckets, placements }
      const first = `The cell ${cell} ${dryRun ? "would take" : "takes"} no more buckets and moved people.`
      const back = `"parley cells add ${cell}" takes this back.`
      if (to === undefined || dryRun) {
        const { owners } = to === undefined ? { owners: null } : yield* moveEach({ from: [cell], to, dryRun })
        const rest =
          owners === null
            ? `${buckets} buckets and ${placements} single owners are in it.`
            : `${owners} people would be moved to ${to}, with ${buckets} buckets.`
        return yield* printResult(json, { ...facts, owners, moved: 0, busy: [] }, [first, rest, back])
      }
      const report = yield* empty(cell, to)
      yield* printResult(json, { ...facts, ...report }, [
        first,
        `Moved ${report.moved} of ${report.owners} people to ${to}.`,
        ...busyLines(report.busy)
      ])
      if (report.busy.length > 0) return yield* new Unhealthy({ exit: exitCodes.failed })
    })
    yield* CommandContext.use((context) => context.run(work, { direct: true }))
  })
).pipe(
  Command.withDescription("Have a cell take no more buckets and people, and with --to move all of them out of it"),
  Command.withExamples([
    {
      command: "parley cells drain eu-1",
      description: "New people begin elsewhere only after its buckets are assigned"
    },
    { command: "parley cells drain eu-1 --to eu-2", description: "Before it is shut down; safe to stop and to repeat" }
  ])
)
