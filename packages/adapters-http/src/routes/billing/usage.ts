import { CreditService } from "@parley/core/effect"
import { dayOf, dayText, parseDay } from "@parley/core/adapter"
import { Clock, Effect, Result } from "effect"
import { sessionAccess } from "../../access/personAccess.ts"
import { json } from "../../exchange/Exchange.ts"
import type { Parameter } from "../parameters.ts"
import { listOf, named, text, whole } from "../fields.ts"
import { defineRoute } from "../Route.ts"

const UsageRow = named("Usage", "The usage of a day, by source and model.", {
  day: text("The UTC day, as `2026-11-30`."),
  source: text("The kind of the work, as on its receipt."),
  model: text("The model; empty for metered work."),
  replies: whole("The number of charges."),
  credits: whole("The spent credits."),
  input_tokens: whole("The input tokens."),
  output_tokens: whole("The output tokens.")
})

const UsageBody = named("UsageReport", "The usage of some days.", {
  usage: listOf(UsageRow, "The usage, oldest day first."),
  from: text("The first day of the report."),
  to: text("The last day of the report.")
})

/** The default number of days. */
const DAYS = 30

/** A parameter with a UTC day such as `2026-11-30`, optional. */
const dayParameter = (description: string): Parameter<string | undefined> => ({
  description,
  jsonSchema: { type: "string", format: "date" },
  decode: (text) =>
    text === undefined || parseDay(text) !== undefined
      ? Result.succeed(text)
      : Result.fail("Expected a day, as 2026-11-30")
})

/** The usage of a person's credits. */
export const getUsage = defineRoute({
  method: "GET",
  path: "/api/billing/usage",
  summary: "Returns your spent credits by day, source and model",
  access: sessionAccess,
  queryParameters: {
    from: dayParameter(`The first day, in UTC; ${DAYS} days up to the last one unless given.`),
    to: dayParameter("The last day, in UTC; today unless given.")
  },
  responses: { 200: { description: "The usage, oldest day first.", schema: UsageBody } },
  errors: ["invalid_usage_range", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ caller, query }) {
    const credits = yield* CreditService
    const to = query.to ?? dayText(dayOf(yield* Clock.currentTimeMillis))
    const from = query.from ?? dayText((parseDay(to) ?? 0) - DAYS + 1)
    const rows = yield* credits.usage({ userId: caller.userId, from, to })
    const usage = rows.map(({ inputTokens, outputTokens, ...row }) => ({
      ...row,
      input_tokens: inputTokens,
      output_tokens: outputTokens
    }))
    const body: typeof UsageBody.Type = { usage, from, to }
    return json(200, body)
  })
})
