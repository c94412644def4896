import { BotAnalytics, MAX_REPORT_DAYS } from "@parley/core/effect"
import { Effect, Schema, Stream } from "effect"
import { sessionAccess } from "../../access/personAccess.ts"
import { json, streamed } from "../../exchange/Exchange.ts"
import { listOf, moment, named, text, uuid, whole } from "../fields.ts"
import { integerParameter } from "../parameters.ts"
import { defineRoute } from "../Route.ts"
import { botPath } from "./bots.ts"
import { csvLine } from "./csv.ts"

const DayBody = named("BotReportDay", "A UTC day of a bot.", {
  day: text("The day, as `2026-11-30`."),
  conversations: whole("Conversations with a reply on this day."),
  unresolved: whole("Those of them with an unanswered question, or for which a person was asked."),
  questions: whole("Questions with a reply."),
  unanswered: whole(
    "Questions of at least three words whose reply is the decline, was rated bad, or cites no document although the bot has some."
  ),
  good: whole("Replies that were rated good."),
  bad: whole("Replies that were rated bad."),
  credits: whole("The credits that the bot's replies cost.")
})

const QuestionBody = named("UnansweredQuestions", "Questions with similar words that were not answered.", {
  question: text("The newest of them."),
  count: whole("The number of these questions."),
  conversationIds: Schema.Array(Schema.String).annotate({
    description: "The conversations of the newest ones, at most five."
  }),
  at: moment("When the newest was asked.")
})

const documentFields = { documentId: uuid("The document."), filename: text("Its name.") }

const ReportBody = named("BotReport", "The report on the conversations of a bot.", {
  days: listOf(DayBody, "Every day of the report, in order."),
  unanswered: listOf(QuestionBody, "Unanswered questions, most frequent first: at most 50 groups of the newest 500."),
  cited: listOf(
    named("CitedDocument", "A document that replies cite.", {
      ...documentFields,
      replies: whole("The number of replies that cite it.")
    }),
    "The documents that replies cite, most cited first: at most 50."
  ),
  uncited: listOf(
    named("UncitedDocument", "A document of the bot that no reply cites.", documentFields),
    "The bot's documents that no reply cites, at most 50."
  )
})

const reportRequest = {
  access: sessionAccess,
  largeWork: "read",
  pathParameters: botPath,
  queryParameters: {
    days: integerParameter({
      description: "The number of days, today (UTC) included.",
      minimum: 1,
      maximum: MAX_REPORT_DAYS,
      default: 30
    })
  },
  errors: ["bot_not_found", "bot_misconfigured", "storage_unavailable"]
} as const

/** The report of a bot. */
export const getBotReport = defineRoute({
  ...reportRequest,
  method: "GET",
  path: "/api/bots/{id}/report",
  summary: "Returns what happened in your bot's conversations: counts by day, unanswered questions, cited documents",
  responses: { 200: { description: "The report.", schema: ReportBody } },
  handle: Effect.fnUntraced(function* ({ caller, path, query }) {
    const analytics = yield* BotAnalytics
    const report = yield* analytics.report(caller.userId, path.id, query.days)
    const body: typeof ReportBody.Type = {
      ...report,
      unanswered: report.unanswered.map((each) => ({ ...each, at: new Date(each.at).toISOString() }))
    }
    return json(200, body)
  })
})

const TITLES = ["day", "conversations", "unresolved", "questions", "unanswered", "good", "bad", "credits"]

/** The report of a bot as a table, one day in each row. */
export const getBotReportTable = defineRoute({
  ...reportRequest,
  method: "GET",
  path: "/api/bots/{id}/report.csv",
  summary: "Returns the days of your bot's report as a table",
  responses: { 200: { description: "A row for each day.", contentType: "text/csv" } },
  handle: Effect.fnUntraced(function* ({ caller, path, query }) {
    const analytics = yield* BotAnalytics
    const { days } = yield* analytics.report(caller.userId, path.id, query.days)
    const rows = days.map(({ bad, conversations, credits, day, good, questions, unanswered, unresolved }) =>
      csvLine([day, conversations, unresolved, questions, unanswered, good, bad, credits])
    )
    return streamed(Stream.succeed(new TextEncoder().encode(csvLine(TITLES) + rows.join(""))), {
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": `attachment; filename="report.csv"`
    })
  })
})
