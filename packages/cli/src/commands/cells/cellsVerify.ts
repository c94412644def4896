import type { CellFinding } from "@parley/adapters-db"
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { exitCodes } from "../../exitCodes.ts"
import { checkMigrated } from "../../running/checkMigrated.ts"
import { CommandContext } from "../../running/CommandContext.ts"
import { Unhealthy } from "../../running/commandErrors.ts"
import { jsonFlag, printResult } from "../../running/output.ts"
import { requireCells } from "./cellInputs.ts"

const lineOf = ({ cells, directory = "no cell", owner, problem }: CellFinding): string => {
  const names = cells.join(" and ")
  if (problem === "twice") return `${owner}: has rows in ${names}; the directory says ${directory}`
  if (problem === "elsewhere") return `${owner}: is in ${names}; the directory says ${directory}`
  return `${owner}: the ledger that was left in ${names} is not the beginning of the one in ${directory}`
}

/** `parley cells verify` */
export const cellsVerifyCommand = Command.make(
  "verify",
  { json: jsonFlag },
  Effect.fnUntraced(function* ({ json }) {
    const work = Effect.gen(function* () {
      yield* checkMigrated
      const { moves } = yield* requireCells
      const { moving, verifyCells } = yield* Effect.promise(() => import("@parley/adapters-db"))
      const findings: Array<CellFinding> = []
      const owners = yield* verifyCells((finding) => {
        findings.push(finding)
        return json ? Effect.void : Console.log(lineOf(finding))
      })
      const verdict =
        findings.length === 0 ? "each is in one cell, as the directory says" : `${findings.length} differences`
      const unfinished = yield* moving(() => moves.unfinishedMoves())
      const lines = unfinished.flatMap(({ cell, other, owner, state }) =>
        state === "moving" ? [`${owner}: a move from ${cell} to ${other} runs, or was interrupted: repeat it.`] : []
      )
      yield* printResult(json, { ok: findings.length === 0, owners, findings, unfinished }, [
        ...lines,
        `Verified ${owners} owners: ${verdict}.`
      ])
      if (findings.length > 0) return yield* new Unhealthy({ exit: exitCodes.failed })
    })
    yield* CommandContext.use((context) => context.run(work))
  })
).pipe(
  Command.withDescription("Check that each owner is in one cell, as the directory says; exit code 1 if one is not"),
  Command.withExamples([
    { command: "parley cells verify", description: "Beside everything else; every cell has to answer" },
    { command: "parley credits verify", description: "The balances of the owners in all cells" }
  ])
)
