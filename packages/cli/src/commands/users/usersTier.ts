import {
  Catalog,
  CreditService,
  OperatorActions,
  OperatorTiers,
  type TierStanding,
  unknownTier
} from "@parley/core/effect"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { checkMigrated } from "../../running/checkMigrated.ts"
import { CommandContext } from "../../running/CommandContext.ts"
import { UsageMistake } from "../../running/commandErrors.ts"
import { dryRunFlag, jsonFlag, printResult } from "../../running/output.ts"
import { byFlag, reasonFlag, userArgument } from "../flags.ts"

const input = {
  user: userArgument,
  tier: Argument.String("tier").pipe(
    Argument.withDescription("A tier of the catalog; without it the command shows the person's tier"),
    Argument.optional
  ),
  pin: Flag.Boolean("pin").pipe(
    Flag.withDescription("Billing events do not change the tier until --unpin"),
    Flag.withDefault(false)
  ),
  unpin: Flag.Boolean("unpin").pipe(
    Flag.withDescription("Let billing events decide again, beginning with those that have come"),
    Flag.withDefault(false)
  ),
  reason: Flag.optional(reasonFlag),
  by: byFlag,
  dryRun: dryRunFlag,
  json: jsonFlag
}

/** Describes whether billing events or an operator decide about a person's tier. */
const deciderOf = ({ paidTier, pinned }: TierStanding): string => {
  if (!pinned) return "billing events change it"
  return `pinned: billing events do not change it${paidTier === undefined ? "" : `, and would make it ${paidTier}`}`
}

/** Reads a person's tier, and returns it as data and as a line of text. */
const told = Effect.fnUntraced(function* (user: string) {
  const standing = yield* OperatorTiers.use((tiers) => tiers.standing(user))
  const { available } = yield* CreditService.use((credits) => credits.find(user))
  const { paidTier = null, pinned, tier } = standing
  const line = `${user} is on the tier ${tier} (${deciderOf(standing)}) and has ${available} available.`
  return { data: { user, tier, pinned, paidTier, available }, line }
})

interface Change {
  readonly user: string
  readonly by: string
  readonly reason: Option.Option<string>
  readonly dryRun: boolean
  readonly json: boolean
}

const reasonOf = ({ reason }: Change) =>
  Option.isSome(reason) ? Effect.succeed(reason.value) : new UsageMistake({ problem: "Say why with --reason." })

const setTier = Effect.fnUntraced(function* (tier: string, pin: boolean, change: Change) {
  const { by, dryRun, json, user } = change
  const reason = yield* reasonOf(change)
  const catalog = yield* Catalog
  const wanted = catalog.tiers.find(({ name }) => name === tier)
  if (wanted === undefined) return yield* unknownTier(catalog, tier)
  const before = yield* told(user)
  const asked = { reason, dryRun, monthlyCredits: wanted.monthlyCredits }
  if (dryRun) {
    const line = `Would give ${user} the tier ${tier} with ${wanted.monthlyCredits} credits a month${pin ? ", pinned" : ""}: ${reason}.`
    return yield* printResult(json, { ...before.data, ...asked, tier, pinned: pin || before.data.pinned }, [line])
  }
  const transaction = yield* OperatorActions.use((actions) =>
    actions.setTier({ userId: user, asked: { by, reason }, tier, pin, period: "new" })
  )
  const { data, line } = yield* told(user)
  yield* printResult(json, { ...data, ...asked, transactionId: transaction?.id ?? null }, [line])
})

const unpinTier = Effect.fnUntraced(function* (change: Change) {
  const { by, dryRun, json, user } = change
  const reason = yield* reasonOf(change)
  const before = yield* told(user)
  if (dryRun) {
    const { paidTier, tier } = before.data
    const line = `Would let billing events decide over the tier of ${user}, which would be ${paidTier ?? tier}: ${reason}.`
    return yield* printResult(json, { ...before.data, reason, dryRun }, [line])
  }
  yield* OperatorActions.use((actions) => actions.unpinTier({ userId: user, asked: { by, reason } }))
  const { data, line } = yield* told(user)
  yield* printResult(json, { ...data, reason, dryRun }, [line])
})

/** `parley users tier <user> [tier]` */
export const usersTierCommand = Command.make(
  "tier",
  input,
  Effect.fnUntraced(function* ({ pin, tier, unpin, ...change }) {
    const work = Effect.gen(function* () {
      if (unpin && (pin || Option.isSome(tier))) {
        return yield* new UsageMistake({ problem: "--unpin goes with neither a tier nor --pin." })
      }
      if (pin && Option.isNone(tier)) return yield* new UsageMistake({ problem: "Name the tier that is to be pinned." })
      yield* checkMigrated
      if (unpin) return yield* unpinTier(change)
      if (Option.isSome(tier)) return yield* setTier(tier.value, pin, change)
      const { data, line } = yield* told(change.user)
      yield* printResult(change.json, data, [line])
    })
    yield* CommandContext.use((context) => context.run(work))
  })
).pipe(
  Command.withDescription("Show a person's tier, or set it by hand"),
  Command.withExamples([
    { command: "parley users tier user-1", description: "The tier, and whether it is pinned" },
    {
      command: 'parley users tier user-1 pro --reason "pilot customer"',
      description: "Set a tier until the next payment changes it"
    },
    {
      command: 'parley users tier user-1 business --pin --reason "contract 2027"',
      description: "Pin a tier, independent of payments"
    },
    {
      command: 'parley users tier user-1 --unpin --reason "contract ended"',
      description: "Unpin: payments decide again"
    },
    {
      command: 'parley users tier user-1 free --reason "pilot ended"',
      description: "Back to the lowest tier, with at most its allowance"
    }
  ])
)
