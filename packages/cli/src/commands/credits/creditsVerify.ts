import { CreditService, PaymentComparison, type PaymentDifference } from "@parley/core/effect"
import type { Difference } from "@parley/core/adapter"
import { Clock, Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { exitCodes } from "../../exitCodes.ts"
import { checkMigrated } from "../../running/checkMigrated.ts"
import { Unhealthy } from "../../running/commandErrors.ts"
import { jsonFlag, printResult } from "../../running/output.ts"
import { CommandContext } from "../../running/CommandContext.ts"

const lineOf = ({ userId, invariant, expected, found }: Difference): string =>
  `${userId}: ${invariant}: expected ${expected}, found ${found}`

const sinceFlag = Flag.Date("since").pipe(
  Flag.withDescription("Trust transactions before this time (ISO 8601), and check the later ones"),
  Flag.optional
)

const withPaymentsFlag = Flag.Boolean("with-payments").pipe(
  Flag.withDescription(
    "Also compare payments, plans and credits with the payment provider's payments (since --since, or in the last 30 days) and live subscriptions, in both directions"
  ),
  Flag.withDefault(false)
)

const PAYMENTS_BACK_MS = 30 * 86_400_000

const paymentLine = ({ found, kind, payment, userId }: PaymentDifference): string =>
  `${userId ?? "no person"}: ${payment}: ${kind}: ${found}`

/** Compares the ledger with the payment provider, and prints each difference as soon as it is found. */
const withPayments = Effect.fnUntraced(function* (since: number | undefined, json: boolean) {
  const differences: Array<PaymentDifference> = []
  const from = since ?? (yield* Clock.currentTimeMillis) - PAYMENTS_BACK_MS
  const compared = yield* PaymentComparison.use((comparison) =>
    comparison.compare({
      since: from,
      onDifference: (difference) => {
        differences.push(difference)
        return json ? Effect.void : Console.log(paymentLine(difference))
      }
    })
  )
  return { ...compared, since: new Date(from).toISOString(), differences }
})

/** `parley credits verify` */
export const creditsVerifyCommand = Command.make(
  "verify",
  { since: sinceFlag, withPayments: withPaymentsFlag, json: jsonFlag },
  Effect.fnUntraced(function* ({ json, since, withPayments: comparesPayments }) {
    const work = Effect.gen(function* () {
      yield* checkMigrated
      const differences: Array<Difference> = []
      const from = Option.getOrUndefined(since)?.getTime()
      const accounts = yield* CreditService.use((credits) =>
        credits.verify((found) => {
          differences.push(...found)
          return json ? Effect.void : Console.log(found.map(lineOf).join("\n"))
        }, from)
      )
      const payments = comparesPayments ? yield* withPayments(from, json) : undefined
      const ok = differences.length === 0 && (payments?.differences.length ?? 0) === 0
      const verdict =
        differences.length === 0 ? "every balance follows from its rows" : `${differences.length} differences`
      const lines = [`Verified ${accounts} accounts: ${verdict}.`]
      if (payments !== undefined) {
        const { charges, disputes, invoices, periods, purchases, sessions, subscriptions } = payments
        const agree = payments.differences.length === 0 ? "they agree" : `${payments.differences.length} differences`
        lines.push(
          `Compared ${sessions} sessions, ${invoices} invoices, ${charges} charges, ${disputes} disputes and ${subscriptions} subscriptions of the payment provider with ${purchases} purchases and ${periods} periods: ${agree}.`
        )
      }
      yield* printResult(json, { ok, accounts, differences, ...(payments && { payments }) }, lines)
      if (!ok) return yield* new Unhealthy({ exit: exitCodes.failed })
    })
    yield* CommandContext.use((context) => context.run(work))
  })
).pipe(
  Command.withDescription("Recompute every balance from its rows; exit code 1 if any differs"),
  Command.withExamples([
    { command: "parley credits verify", description: "For people; may run beside everything else" },
    {
      command: "parley credits verify --since 2026-12-01T00:00:00Z",
      description: "Check the later transactions and the open holds"
    },
    {
      command: "parley credits verify --with-payments",
      description: "Also compare with the payment provider, in both directions"
    },
    { command: "parley credits verify --json", description: "For programs" }
  ])
)
