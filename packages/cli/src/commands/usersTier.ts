import { randomUUID } from "node:crypto"
import { Catalog, CreditService, unknownTier } from "@parley/core"
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { audited } from "./audited.ts"
import { byFlag } from "./byFlag.ts"
import { checkMigrated } from "./checkMigrated.ts"
import { CommandContext } from "./CommandContext.ts"
import { dryRunFlag, jsonFlag, printResult } from "./output.ts"
import { reasonFlag } from "./reasonFlag.ts"
import { userArgument } from "./userArgument.ts"

const input = {
  user: userArgument,
  tier: Argument.String("tier").pipe(
    Argument.withDescription("One of the catalog's tiers: free, pro, business unless configured otherwise")
  ),
  reason: reasonFlag,
  by: byFlag,
  dryRun: dryRunFlag,
  json: jsonFlag
}

/** `parley users tier <user> <tier>` */
export const usersTierCommand = Command.make(
  "tier",
  input,
  Effect.fnUntraced(function* ({ by, dryRun, json, reason, tier, user }) {
    const work = Effect.gen(function* () {
      yield* checkMigrated
      const credits = yield* CreditService
      const catalog = yield* Catalog
      const wanted = catalog.tiers.find(({ name }) => name === tier)
      if (wanted === undefined) return yield* unknownTier(catalog, tier)
      const before = yield* credits.find(user)
      const allowance = wanted.monthlyCredits
      const told = { user, tier, monthlyCredits: allowance, reason, dryRun }
      if (dryRun) {
        const line = `Would give ${user} the tier ${tier} with ${allowance} credits a month: ${reason}.`
        return yield* printResult(json, { ...told, available: before.available }, [line])
      }
      const transaction = yield* audited(
        { action: "users tier", by, userId: user, reason, details: tier },
        credits.changeTier({ userId: user, tier, key: randomUUID() })
      )
      const { available } = yield* credits.find(user)
      const line = `${user} is on the tier ${tier} now and has ${available} available.`
      yield* printResult(json, { ...told, transactionId: transaction?.id ?? null, available }, [line])
    })
    yield* CommandContext.use((context) => context.run(work))
  })
).pipe(
  Command.withDescription("Put a person on a tier by hand, until a payment says otherwise"),
  Command.withExamples([
    { command: 'parley users tier user-1 pro --reason "pilot customer"', description: "Renewed by the monthly job" },
    {
      command: 'parley users tier user-1 free --reason "pilot ended"',
      description: "At most the allowance of the lowest tier stays"
    }
  ])
)
