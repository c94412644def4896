import { CreditService, type Difference } from "@parley/core"
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { exitCodes } from "../exitCodes.ts"
import { checkMigrated } from "./checkMigrated.ts"
import { Unhealthy } from "./commandErrors.ts"
import { jsonFlag, printResult } from "./output.ts"
import { CommandContext } from "./CommandContext.ts"

const lineOf = ({ userId, invariant, expected, found }: Difference): string =>
  `${userId}: ${invariant}: expected ${expected}, found ${found}`

const sinceFlag = Flag.Date("since").pipe(
  Flag.withDescription("Trust transactions from before this moment (ISO 8601), and look at the later ones"),
  Flag.optional
)

/** `parley credits verify` */
export const creditsVerifyCommand = Command.make(
  "verify",
  { since: sinceFlag, json: jsonFlag },
  Effect.fnUntraced(function* ({ since, json }) {
    const work = Effect.gen(function* () {
      yield* checkMigrated
      const differences: Array<Difference> = []
      const accounts = yield* CreditService.use((credits) =>
        credits.verify((found) => {
          differences.push(...found)
          return json ? Effect.void : Console.log(found.map(lineOf).join("\n"))
        }, Option.getOrUndefined(since)?.getTime())
      )
      const ok = differences.length === 0
      const verdict = ok ? "every balance follows from its rows" : `${differences.length} differences`
      yield* printResult(json, { ok, accounts, differences }, [`Verified ${accounts} accounts: ${verdict}.`])
      if (!ok) return yield* new Unhealthy({ exit: exitCodes.failed })
    })
    yield* CommandContext.use((context) => context.run(work))
  })
).pipe(
  Command.withDescription("Recompute every balance from its rows; exit code 1 where any differs"),
  Command.withExamples([
    { command: "parley credits verify", description: "For people; may run beside everything else" },
    { command: "parley credits verify --since 2026-12-01T00:00:00Z", description: "What came since, and what is open" },
    { command: "parley credits verify --json", description: "For programs" }
  ])
)
