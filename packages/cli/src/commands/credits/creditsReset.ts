import { ResetService } from "@parley/core/effect"
import type { ResetReport } from "@parley/core/adapter"
import { AuditLog, checkTiers } from "@parley/core/adapter"
import { Effect, Exit, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { checkMigrated } from "../../running/checkMigrated.ts"
import { dryRunFlag, jsonFlag, printResult, table } from "../../running/output.ts"
import { ProgressOutput } from "../../running/ProgressOutput.ts"
import { CommandContext } from "../../running/CommandContext.ts"
import { byFlag, reasonFlag } from "../flags.ts"

const input = {
  asOf: Flag.Date("as-of").pipe(
    Flag.withDescription("Begin the periods that are due at this time (ISO 8601) instead of now"),
    Flag.optional
  ),
  yes: Flag.Boolean("yes").pipe(
    Flag.withDescription("Confirm an --as-of in the future, which ends periods early"),
    Flag.withDefault(false)
  ),
  reason: Flag.optional(reasonFlag),
  by: byFlag,
  dryRun: dryRunFlag,
  json: jsonFlag
}

/** Begins the due periods. On a terminal it first counts the due accounts and draws a progress bar. */
const withProgress = Effect.fnUntraced(function* (asOf: number | undefined, early: boolean, dryRun: boolean) {
  const resets = yield* ResetService
  const line = yield* ProgressOutput
  if (line === undefined) return yield* resets.run({ asOf, early, dryRun })
  const { resetCount: total, asOf: at } = yield* resets.run({ asOf, dryRun: true })
  const onProgress = ({ resetCount }: ResetReport) => Effect.sync(() => line.draw(resetCount, total))
  return yield* Effect.ensuring(
    resets.run({ asOf: at, early, dryRun, onProgress }),
    Effect.sync(() => line.clear())
  )
})

const WRITTEN = "they were being written; run this again"
const WRITTEN_OR_LOST = "they are on tiers that the catalog has not, or were being written"

const linesOf = (
  { tiers, resetCount, busy, refused, asOf }: ResetReport,
  dryRun: boolean,
  reason: string
): ReadonlyArray<string> => [
  ...table(
    ["tier", "accounts", "granted", "repaid debt", "expired"],
    Object.entries(tiers).map(([tier, { accounts, granted, repaid, expired }]) => [
      tier,
      accounts,
      granted,
      repaid,
      expired
    ])
  ),
  `${dryRun ? "Would reset" : "Reset"} ${resetCount} accounts due at ${new Date(asOf).toISOString()}.`,
  ...(busy === 0 ? [] : [`${busy} accounts are still due: ${reason}.`]),
  ...(refused === 0
    ? []
    : [`${refused} accounts could not be reset, since their rows contradict each other: parley credits verify.`])
]

/** `parley credits reset` */
export const creditsResetCommand = Command.make(
  "reset",
  input,
  Effect.fnUntraced(function* ({ asOf: given, by, dryRun, json, reason, yes }) {
    const work = Effect.gen(function* () {
      yield* checkMigrated
      const asOf = Option.getOrUndefined(given)?.getTime()
      if (!dryRun) {
        const details = asOf === undefined ? "as of now" : `as of ${new Date(asOf).toISOString()}`
        const why = Option.getOrUndefined(reason)
        yield* AuditLog.use((log) =>
          log.record({ action: "credits reset", by, userId: undefined, reason: why, details })
        )
      }
      const report = yield* withProgress(asOf, yes, dryRun)
      const result = { dryRun, ...report, asOf: new Date(report.asOf).toISOString() }
      const checked = yield* Effect.exit(checkTiers)
      yield* printResult(json, result, linesOf(report, dryRun, Exit.isSuccess(checked) ? WRITTEN : WRITTEN_OR_LOST))
      // This check reports accounts on tiers that the catalog no longer has: they got no credits, and no other command
      // reports them.
      yield* checked
    })
    yield* CommandContext.use((context) => context.run(work))
  })
).pipe(
  Command.withDescription("Begin the due periods: each renews its allowance once, even if the command is repeated"),
  Command.withExamples([
    { command: "parley credits reset --dry-run", description: "Count the due accounts, per tier" },
    { command: "parley credits reset", description: "Do it; safe to stop, to repeat and to run twice at once" },
    {
      command: "parley credits reset --as-of 2026-12-01T00:00:00Z",
      description: "As of that time; a future time requires --yes"
    }
  ])
)
