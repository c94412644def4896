import { Clock, Context, Effect, Layer } from "effect"
import type { BotMisconfigured, BotNotFound } from "../../bots/errors.ts"
import { BotService } from "../../bots/BotService.ts"
import { type BotDay, BotReports, type CitedDocument } from "../../chat/store/BotReports.ts"
import { CreditRecords } from "../../credits/CreditLedger.ts"
import { dayOf, startOfDay } from "../../credits/Spender.ts"
import { dayText } from "../../credits/UsageReport.ts"
import { DocumentStore } from "../../documents/storing/DocumentStore.ts"
import { UserId } from "../../identity/UserId.ts"
import { Id, inputsOf, whole } from "../../storage/inputs.ts"
import { mayLag } from "../../storage/LaggingReads.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import { groupQuestions, type QuestionGroup } from "./groupQuestions.ts"

/** The maximum number of days of a report. */
export const MAX_REPORT_DAYS = 90

/** The number of newest questions that are grouped, because comparing more of them would take long. */
const GROUPED_QUESTIONS = 500
const MOST_GROUPS = 50
const MOST_DOCUMENTS = 50

/** A UTC day of a bot. */
export interface ReportedDay extends Omit<BotDay, "day"> {
  /** The day, as `2026-11-30`. */
  readonly day: string
  /** The credits that the bot's replies cost on this day. */
  readonly credits: number
}

/** The report on the conversations of a bot. */
export interface BotReport {
  /** All days of the report, in order; the last one is today (UTC). */
  readonly days: ReadonlyArray<ReportedDay>
  /** Groups of unanswered questions, most frequent first: at most 50 groups, made of the newest 500 questions. */
  readonly unanswered: ReadonlyArray<QuestionGroup>
  /** The documents that replies cite, most cited first: at most 50. */
  readonly cited: ReadonlyArray<CitedDocument>
  /** The bot's documents that no reply cites, at most 50. */
  readonly uncited: ReadonlyArray<Pick<CitedDocument, "documentId" | "filename">>
}

/** Reports for the owners of bots. Another person's bot is treated as missing. */
export class BotAnalytics extends Context.Service<
  BotAnalytics,
  {
    /** Returns the report of the last `days` days, today included: 1 to 90. */
    report(
      owner: UserId,
      botId: string,
      days: number
    ): Effect.Effect<BotReport, BotNotFound | BotMisconfigured | StorageFailed>
  }
>()("@parley/core/widget/analytics/BotAnalytics") {
  static readonly inputs = inputsOf<BotAnalytics["Service"]>()({
    report: [{ owner: UserId }, { botId: Id }, { days: whole(1, MAX_REPORT_DAYS) }]
  })
  static readonly layer = Layer.effect(
    BotAnalytics,
    Effect.gen(function* () {
      const bots = yield* BotService
      const documents = yield* DocumentStore
      const records = yield* CreditRecords
      const reports = yield* BotReports

      return BotAnalytics.of({
        report: Effect.fn("BotAnalytics.report")(function* (owner, botId, days) {
          const bot = yield* bots.get(owner, botId)
          const lastDay = dayOf(yield* Clock.currentTimeMillis)
          const firstDay = lastDay - days + 1
          const span = { botOwner: owner, bot: bot.id, from: startOfDay(firstDay), to: startOfDay(lastDay + 1) }
          const hasDocuments = bot.documentIds.length > 0
          const [counted, questions, cited, usage, own] = yield* mayLag(
            Effect.all(
              [
                reports.days({ ...span, hasDocuments }),
                reports.unanswered({ ...span, hasDocuments, limit: GROUPED_QUESTIONS }),
                reports.cited({ ...span, limit: MOST_DOCUMENTS }),
                records.usage({ userId: owner, firstDay, lastDay }),
                documents.find(owner, bot.documentIds)
              ],
              { concurrency: 2 }
            )
          )
          const isCited = new Set(cited.map(({ documentId }) => documentId))
          const costs = usage.filter(({ source }) => source === `bot:${bot.id}`)
          return {
            days: Array.from({ length: days }, (_, place): ReportedDay => {
              const number = firstDay + place
              const day = dayText(number)
              const credits = costs.reduce((sum, row) => (row.day === day ? sum + row.credits : sum), 0)
              return { ...NOTHING, ...counted.find((each) => each.day === number), day, credits }
            }),
            unanswered: groupQuestions(questions).slice(0, MOST_GROUPS),
            cited,
            uncited: own
              .filter(({ id }) => !isCited.has(id))
              .slice(0, MOST_DOCUMENTS)
              .map(({ filename, id }) => ({ documentId: id, filename }))
          }
        })
      })
    })
  )
}

const NOTHING: Omit<BotDay, "day"> = {
  conversations: 0,
  unresolved: 0,
  questions: 0,
  unanswered: 0,
  good: 0,
  bad: 0
}
