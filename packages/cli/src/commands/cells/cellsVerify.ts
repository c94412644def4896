import type { CellFinding } from "@parley/adapters-db"
import { AuditLog } from "@parley/core/adapter"
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { exitCodes } from "../../exitCodes.ts"
import { checkSchemas } from "../../running/checkMigrated.ts"
import { CommandContext } from "../../running/CommandContext.ts"
import { Unhealthy } from "../../running/commandErrors.ts"
import { jsonFlag, printResult } from "../../running/output.ts"
import { byFlag, reasonFlag } from "../flags.ts"
import { requireCells } from "./cellInputs.ts"

const lineOf = ({ repairedTo, ...finding }: Reported): string =>
  repairedTo === undefined ? problemOf(finding) : `${problemOf(finding)}. Placed in ${repairedTo}.`

const problemOf = ({ cells, directory = "no cell", owner, problem }: CellFinding): string => {
  const names = cells.join(" and ")
  if (problem === "twice") return `${owner}: has rows in ${names}; the directory says ${directory}`
  if (problem === "elsewhere") return `${owner}: is in ${names}; the directory says ${directory}`
  if (problem === "lost") return `${owner}: has no cell in which the rows are in use; the directory says ${directory}`
  return `${owner}: the ledger that was left in ${names} is not the beginning of the one in ${directory}`
}

const repairFlag = Flag.Boolean("repair").pipe(
  Flag.withDescription("Place owners where their rows are, and make the directory newer than the cells"),
  Flag.withDefault(false)
)

interface Reported extends CellFinding {
  /** The cell in which the owner was placed. */
  readonly repairedTo: string | undefined
}

/** Compares the owners of all cells with the directory, or repairs the directory. */
const compare = Effect.fnUntraced(function* (repairs: boolean, onFinding: (finding: Reported) => Effect.Effect<void>) {
  const { checkIdentity, repairDirectory, verifyCells } = yield* Effect.promise(() => import("@parley/adapters-db"))
  // An older directory is no reason to refuse the command that reports and repairs it.
  yield* checkSchemas(checkIdentity)
  if (!repairs) return yield* verifyCells((finding) => onFinding({ ...finding, repairedTo: undefined }))
  return yield* repairDirectory((finding, repairedTo) => onFinding({ ...finding, repairedTo }))
})

/** `parley cells verify` */
export const cellsVerifyCommand = Command.make(
  "verify",
  { repair: repairFlag, reason: Flag.optional(reasonFlag), by: byFlag, json: jsonFlag },
  Effect.fnUntraced(function* ({ by, json, repair, ...flags }) {
    const work = Effect.gen(function* () {
      const { moves } = yield* requireCells
      const { moving } = yield* Effect.promise(() => import("@parley/adapters-db"))
      const reason = Option.getOrUndefined(flags.reason)
      if (repair)
        yield* AuditLog.use((log) =>
          log.record({ action: "cells verify", by, userId: undefined, reason, details: "--repair" })
        )
      const findings: Array<Reported> = []
      const owners = yield* compare(repair, (finding) => {
        findings.push(finding)
        return json ? Effect.void : Console.log(lineOf(finding))
      })
      const left = findings.filter(({ repairedTo }) => repairedTo === undefined).length
      const verdict = left === 0 ? "each is in one cell, as the directory says" : `${left} differences`
      const unfinished = yield* moving(() => moves.unfinishedMoves())
      const { splitsUnderWay } = yield* Effect.promise(() => import("@parley/adapters-db"))
      const splits = (yield* splitsUnderWay).map(({ buckets, source, target }) => ({
        source,
        target,
        buckets: buckets.length
      }))
      const lines = unfinished.flatMap(({ cell, other, owner, state }) =>
        state === "moving"
          ? [`${owner}: a move from ${cell} to ${other} runs, or was interrupted: workers end it within three minutes.`]
          : []
      )
      const waiting = yield* moving(() => moves.leftOwners())
      const leftLines = waiting.map(
        ({ cell, owners }) => `${cell}: the rows of ${owners} owners who have moved away wait to be erased.`
      )
      yield* printResult(json, { ok: left === 0, owners, findings, unfinished, waiting, splits }, [
        ...lines,
        ...leftLines,
        ...splits.map(
          ({ source, target }) =>
            `A split of ${source} to ${target} runs, or was interrupted: repeat the command, or workers cancel it within three minutes.`
        ),
        `Verified ${owners} owners: ${verdict}.`
      ])
      if (left > 0) return yield* new Unhealthy({ exit: exitCodes.failed })
    })
    yield* CommandContext.use((context) => context.run(work, { direct: repair }))
  })
).pipe(
  Command.withDescription("Check that each owner is in one cell, as the directory says; exit code 1 if one is not"),
  Command.withExamples([
    { command: "parley cells verify", description: "Beside everything else; every cell has to answer" },
    {
      command: "parley cells verify --repair",
      description: "After a restore of the global database, before servers start"
    },
    { command: "parley credits verify", description: "The balances of the owners in all cells" }
  ])
)
