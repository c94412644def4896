import {
  CreditService,
  DocumentReindex,
  type ReindexEstimate,
  type ReindexProgress,
  type ReindexReport
} from "@parley/core/effect"
import { isUuid } from "@parley/core/adapter"
import { UserId } from "@parley/core"
import { AuditLog } from "@parley/core/adapter"
import { Console, Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { exitCodes } from "../exitCodes.ts"
import { checkMigrated } from "../running/checkMigrated.ts"
import { CommandContext } from "../running/CommandContext.ts"
import { Unhealthy } from "../running/commandErrors.ts"
import { dryRunFlag, jsonFlag, printResult } from "../running/output.ts"
import { ProgressOutput } from "../running/ProgressOutput.ts"
import { byFlag, reasonFlag } from "./flags.ts"

const input = {
  user: Flag.String("user").pipe(
    Flag.withDescription("Only this person's documents"),
    Flag.withSchema(UserId),
    Flag.optional
  ),
  document: Flag.String("document").pipe(
    Flag.withDescription("Only this document"),
    Flag.withSchema(Schema.String.check(Schema.makeFilter((text: string) => isUuid(text) || "a UUID"))),
    Flag.optional
  ),
  restart: Flag.Boolean("restart").pipe(
    Flag.withDescription("Start from the beginning instead of continuing an unfinished run"),
    Flag.withDefault(false)
  ),
  reason: Flag.optional(reasonFlag),
  by: byFlag,
  dryRun: dryRunFlag,
  json: jsonFlag
}

const of = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? "" : "s"}`

/** Formats dollars with as many digits as are useful. */
const dollars = (usd: number): string => (usd >= 1 || usd === 0 ? usd.toFixed(2) : usd.toPrecision(2))

export interface Cost {
  readonly usd: number
  readonly usdPerMillionTokens: number
}

const costOf = ({ embedder, tokens }: ReindexEstimate, price: number | undefined): Cost | null =>
  embedder === undefined
    ? { usd: 0, usdPerMillionTokens: 0 }
    : price === undefined
      ? null
      : { usd: (tokens * price) / 1_000_000, usdPerMillionTokens: price }

const estimateLines = (estimate: ReindexEstimate, cost: Cost | null): ReadonlyArray<string> => {
  const { alreadyDone, calls, continued, documents, embedder, passages, toEmbed, toRead, tokens } = estimate
  const asked =
    embedder === undefined
      ? "No embedder is configured: there are no requests, and no cost."
      : `${toEmbed} of them would be sent to ${embedder}: about ${of(tokens, "token")} in ${of(calls, "request")}.`
  const price =
    cost === null
      ? ["The cost is not known: set embedding.usdPerMillionTokens in PARLEY_CONFIG."]
      : embedder === undefined
        ? []
        : [`That costs about ${dollars(cost.usd)} USD, at ${cost.usdPerMillionTokens} USD for a million tokens.`]
  return [
    ...(continued ? [`Would go on with a run that has not ended: ${of(alreadyDone, "document")} done already.`] : []),
    `Would re-index ${of(documents, "document")}, with ${of(passages, "passage")}.`,
    asked,
    ...price,
    ...(toRead === 0
      ? []
      : [
          `The files of ${of(toRead, "document")} would be read again: passages, tokens and cost may turn out otherwise.`
        ])
  ]
}

/** The largest number of documents that are listed by name on a terminal; `--json` prints up to a thousand. */
const TOLD = 20

const reportLines = ({
  alreadyDone,
  asked,
  continued,
  done,
  left,
  mayBeContinued,
  passages,
  reused,
  stopped,
  undone
}: ReindexReport) => [
  ...(continued ? [`Went on with a run that had not ended: ${of(alreadyDone, "document")} were done already.`] : []),
  `Re-indexed ${of(done, "document")}, with ${of(passages, "passage")}: ${asked} embedded, ${reused} had their embedding.`,
  ...(left === 0
    ? []
    : [`${of(left, "document")} ${left === 1 ? "is" : "are"} left as before, and can be searched so:`]),
  ...undone
    .slice(0, TOLD)
    .map(({ documentId, filename, reason, userId }) => `  ${userId}  ${documentId}  ${filename}: ${reason}`),
  ...(undone.length > TOLD ? [`  and ${undone.length - TOLD} more`] : []),
  ...(stopped === undefined ? [] : [`The others were not tried any more: ${stopped}`]),
  ...(mayBeContinued
    ? ["Run it again after the repair: it continues with the remaining documents, and pays for nothing twice."]
    : [])
]

/** Runs `work`, and draws a progress bar if the output is a terminal. */
const withProgress = <A, E, R>(
  work: (onProgress: (progress: ReindexProgress) => Effect.Effect<void>) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const line = yield* ProgressOutput
    if (line === undefined) return yield* work(() => Effect.void)
    const draw = ({ passages, passagesDone }: ReindexProgress) =>
      Effect.sync(() => line.draw(passagesDone, passages, "passages"))
    return yield* Effect.ensuring(
      work(draw),
      Effect.sync(() => line.clear())
    )
  })

/** `parley reindex` */
export const reindexCommand = Command.make(
  "reindex",
  input,
  Effect.fnUntraced(function* ({ by, dryRun, json, restart, ...flags }) {
    const context = yield* CommandContext
    const { config } = yield* context.settings
    const work = Effect.gen(function* () {
      yield* checkMigrated
      const reindex = yield* DocumentReindex
      const userId = Option.getOrUndefined(flags.user)
      const documentId = Option.getOrUndefined(flags.document)
      // An unknown person is reported as a mistake in the name. A known person without documents has nothing to
      // re-index.
      if (userId !== undefined) yield* CreditService.use((credits) => credits.find(userId))
      const scope = { userId, documentId, restart }
      if (dryRun) {
        const estimate = yield* withProgress((onProgress) => reindex.estimate({ ...scope, onProgress }))
        const cost = costOf(estimate, config.embedding?.usdPerMillionTokens)
        return yield* printResult(
          json,
          { dryRun, ...estimate, embedder: estimate.embedder ?? null, cost },
          estimateLines(estimate, cost)
        )
      }
      const reason = Option.getOrUndefined(flags.reason)
      const details = documentId === undefined ? "" : `document ${documentId}`
      yield* AuditLog.use((log) => log.record({ action: "reindex", by, userId, reason, details }))
      const report = yield* withProgress((onProgress) => reindex.run({ ...scope, onProgress })).pipe(
        Effect.onInterrupt(() =>
          Console.error(
            "Stopped; everything can be searched as before. Run it again to go on: it pays for nothing twice."
          )
        )
      )
      yield* printResult(json, { dryRun, ...report, stopped: report.stopped ?? null }, reportLines(report))
      if (report.left > 0) return yield* new Unhealthy({ exit: exitCodes.failed })
    })
    yield* context.run(work)
  })
).pipe(
  Command.withDescription("Re-index documents while searches use their old index; exit code 1 if a document failed"),
  Command.withExamples([
    {
      command: "parley reindex --dry-run",
      description: "Count documents, passages, tokens and requests, with the cost"
    },
    { command: "parley reindex", description: "Do it; safe to stop, to repeat and to run twice at once" },
    { command: "parley reindex --user user-1", description: "One person's documents" }
  ])
)
