import { type CatchUpReport, EVENT_STATES } from "@parley/core/adapter"
import { PaymentInbox } from "@parley/core/effect"
import { AuditLog } from "@parley/core/adapter"
import { Clock, Console, Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { exitCodes } from "../../exitCodes.ts"
import { checkMigrated } from "../../running/checkMigrated.ts"
import { Unhealthy } from "../../running/commandErrors.ts"
import { CommandContext } from "../../running/CommandContext.ts"
import { dryRunFlag, jsonFlag, printResult } from "../../running/output.ts"
import { byFlag, reasonFlag } from "../flags.ts"

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }
const DURATION = /^(\d{1,4})([mhd])$/

const input = {
  since: Flag.String("since").pipe(
    Flag.withDescription("Age of the oldest events: 30m, 12h, 7d (7d). Stripe keeps events for 30 days"),
    Flag.withSchema(Schema.String.check(Schema.isPattern(DURATION))),
    Flag.withDefault("7d")
  ),
  reason: Flag.optional(reasonFlag),
  by: byFlag,
  dryRun: dryRunFlag,
  json: jsonFlag
}

const msOf = (text: string): number => {
  const [, count = "0", unit = "d"] = DURATION.exec(text) ?? []
  return Number(count) * (UNITS[unit] ?? 0)
}

const summary = ({ failed, listed, missing, states }: CatchUpReport, dryRun: boolean): string => {
  const done = [
    ...EVENT_STATES.filter((state) => states[state] > 0).map((state) => `${states[state]} ${state}`),
    ...(failed > 0 ? [`${failed} not stored (see the log)`] : [])
  ]
  const found = `${missing} of ${listed} events were not done here`
  return dryRun || missing === 0 ? `${found}.` : `${found}; now ${done.join(", ")}.`
}

/** `parley billing catch-up` */
export const billingCatchUpCommand = Command.make(
  "catch-up",
  input,
  Effect.fnUntraced(function* ({ by, dryRun, json, reason, since }) {
    const work = Effect.gen(function* () {
      yield* checkMigrated
      const now = yield* Clock.currentTimeMillis
      const events: Array<object> = []
      if (!dryRun) {
        const why = Option.getOrUndefined(reason)
        yield* AuditLog.use((log) =>
          log.record({ action: "billing catch-up", by, userId: undefined, reason: why, details: `since ${since}` })
        )
      }
      const report = yield* PaymentInbox.use((inbox) =>
        inbox.catchUp({
          since: now - msOf(since),
          dryRun,
          onEvent: ({ id, kind, note, state }) => {
            events.push({ id, kind, state: dryRun ? "missing" : state, note })
            if (json) return Effect.void
            return Console.log(dryRun ? `${id} (${kind}) is missing.` : `${id} (${kind}) is ${state}: ${note}.`)
          }
        })
      )
      yield* printResult(json, { dryRun, ...report, events }, [summary(report, dryRun)])
      if (report.states.refused + report.states.unreadable + report.failed > 0)
        return yield* new Unhealthy({ exit: exitCodes.failed })
    })
    yield* CommandContext.use((context) => context.run(work))
  })
).pipe(
  Command.withDescription("Ask the payment provider for its events, and apply the missing and the waiting ones"),
  Command.withExamples([
    { command: "parley billing catch-up --since 7d --dry-run", description: "List the missing events" },
    { command: "parley billing catch-up --since 30d --json", description: "After a long outage; for programs" }
  ])
)
