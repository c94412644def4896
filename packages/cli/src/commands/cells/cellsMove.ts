import { AuditLog } from "@parley/core/adapter"
import { CreditService } from "@parley/core/effect"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { checkMigrated } from "../../running/checkMigrated.ts"
import { CommandContext } from "../../running/CommandContext.ts"
import { dryRunFlag, jsonFlag, printResult } from "../../running/output.ts"
import { byFlag, reasonFlag, userArgument } from "../flags.ts"
import { requireCells, toFlag } from "./cellInputs.ts"

/** `parley cells move <user> --to <cell>` */
export const cellsMoveCommand = Command.make(
  "move",
  {
    user: userArgument,
    to: toFlag,
    reason: Flag.optional(reasonFlag),
    by: byFlag,
    dryRun: dryRunFlag,
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ by, dryRun, json, to, user, ...flags }) {
    const work = Effect.gen(function* () {
      yield* checkMigrated
      const { directory, moves } = yield* requireCells
      const { moving } = yield* Effect.promise(() => import("@parley/adapters-db"))
      // An unknown person is a mistake in the name.
      yield* CreditService.use((credits) => credits.find(user))
      const from = yield* directory.askAgain(user)
      const planned = yield* moving(() => moves.move(user, to, { dryRun: true }))
      if (from === to || dryRun) {
        // Ends a move that was interrupted after the directory had changed.
        if (!dryRun) yield* moving(() => moves.move(user, to))
        const line =
          from === to
            ? `${user} is in ${to} already.`
            : `Would move ${user} with ${planned} rows from ${from} to ${to}.`
        return yield* printResult(json, { dryRun, user, from, to, rows: planned, moved: false }, [line])
      }
      const reason = Option.getOrUndefined(flags.reason)
      const entry = { action: "cells move", by, userId: user, reason, details: `from ${from} to ${to}` }
      yield* AuditLog.use((log) => log.record(entry))
      const rows = yield* moving(() => moves.move(user, to))
      const line = `Moved ${user} with ${rows} rows from ${from} to ${to}. Workers erase the former rows later.`
      yield* printResult(json, { dryRun, user, from, to, rows, moved: true }, [line])
    })
    yield* CommandContext.use((context) => context.run(work, { direct: true }))
  })
).pipe(
  Command.withDescription("Move a person with all rows to another cell, beside running servers; safe to repeat"),
  Command.withExamples([
    { command: "parley cells move user-1 --to eu-2 --dry-run", description: "Count the rows" },
    {
      command: "parley cells move user-1 --to eu-2",
      description: "Writes of this person wait for some tenths of a second"
    }
  ])
)
