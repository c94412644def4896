import { EVENT_STATES, type EventState } from "@parley/core/adapter"
import { MoneyReports } from "@parley/core/effect"
import { Clock, Effect, Result, Schema } from "effect"
import { operatorAccess } from "../../access/operatorAccess.ts"
import { json } from "../../exchange/Exchange.ts"
import { integerParameter, type Parameter, refusedCursor, textParameter } from "../parameters.ts"
import { choice, listOf, moment, named, orNull, text, whole } from "../fields.ts"
import { defineRoute } from "../Route.ts"
import { optionalTimeParameter, optionalUserParameter } from "./operatorParameters.ts"

const ChargesRow = named("DailyCharges", "The charges of a day and a model.", {
  day: text("The UTC day."),
  model: text("The model; empty for metered work."),
  replies: whole("The number of charges."),
  credits: whole("The charged credits.")
})

const RevenueRow = named("DailyRevenue", "The payments of a day and a currency.", {
  day: text("The UTC day."),
  currency: text("The currency in lower case."),
  payments: whole("The number of payments."),
  amount: whole("In the smallest unit of the currency, without refunds.")
})

const MoneyBody = named("MoneyReport", "The charges and the revenue of some days.", {
  from: text("The first UTC day."),
  to: Schema.String.annotate({ description: "The last UTC day, which is today: `2026-11-30`." }),
  charges: listOf(ChargesRow, "The settled charges of all people, by day and model."),
  revenue: listOf(RevenueRow, "The applied payments of people who are not erased, by day and currency."),
  verification: orNull(
    named("VerificationSummary", "The result of a verification of all accounts.", {
      endedAt: moment("When it ended."),
      differences: whole("The number of differences.")
    }),
    "The last daily verification of all accounts; null if none has ended."
  )
})

/** The charged credits and the revenue of the last days. */
export const getMoney = defineRoute({
  method: "GET",
  path: "/api/admin/money",
  summary: "Returns the charges by day and model, and the applied payments by day and currency",
  access: operatorAccess("support"),
  queryParameters: {
    days: integerParameter({ description: "UTC days, today included.", minimum: 1, maximum: 90, default: 30 })
  },
  responses: { 200: { description: "The sums.", schema: MoneyBody } },
  errors: ["storage_unavailable"],
  largeWork: "read",
  handle: Effect.fnUntraced(function* ({ query: { days } }) {
    const { verification, ...report } = yield* MoneyReports.use((reports) => reports.days(days))
    const body: typeof MoneyBody.Type = {
      ...report,
      verification:
        verification === undefined
          ? null
          : { endedAt: new Date(verification.endedAt).toISOString(), differences: verification.findings }
    }
    return json(200, body)
  })
})

const stateParameter: Parameter<EventState | undefined> = {
  description: "Only events in this state.",
  jsonSchema: { type: "string", enum: EVENT_STATES },
  decode: (text) => {
    if (text === undefined) return Result.succeed(undefined)
    const state = EVENT_STATES.find((each) => each === text)
    return state === undefined ? Result.fail(`Expected ${EVENT_STATES.join(", ")}`) : Result.succeed(state)
  }
}

const PaymentEventBody = named("PaymentEvent", "An event of the payment provider.", {
  id: text("The event's id at the payment provider."),
  kind: text("The provider's own name for it."),
  state: choice(EVENT_STATES, "The state of the event."),
  note: text("The reason for the state, without names and amounts."),
  userId: orNull(Schema.String, "The person of the event; null if it matches none."),
  createdAt: moment("When the provider created it."),
  receivedAt: moment("When this server received it.")
})

const PaymentsBody = named("PaymentEventList", "A page of events of the payment provider.", {
  events: listOf(PaymentEventBody, "The events, the one received last first."),
  next: Schema.NullOr(Schema.String).annotate({ description: "`before` of the next page; null on the last one." })
})

/** The events of the payment provider. */
export const listPayments = defineRoute({
  method: "GET",
  path: "/api/admin/payments",
  summary: "Lists events of the payment provider with their states, the one received last first",
  access: operatorAccess("support"),
  queryParameters: {
    state: stateParameter,
    user: optionalUserParameter("Only events of this person."),
    before: textParameter("`next` of the previous page."),
    limit: integerParameter({ description: "The most events.", minimum: 1, maximum: 200, default: 50 })
  },
  responses: { 200: { description: "A page of events.", schema: PaymentsBody } },
  errors: ["invalid_request", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ query: { before, limit, state, user } }) {
    const page = yield* MoneyReports.use((reports) => reports.payments({ state, userId: user, before, limit })).pipe(
      Effect.catchTag("InvalidInput", (refused) => Effect.fail(refusedCursor(refused)))
    )
    const body: typeof PaymentsBody.Type = {
      events: page.events.map(({ createdAt, id, kind, note, receivedAt, state: inState, userId }) => ({
        ...{ id, kind, state: inState, note },
        userId: userId ?? null,
        createdAt: new Date(createdAt).toISOString(),
        receivedAt: new Date(receivedAt).toISOString()
      })),
      next: page.next ?? null
    }
    return json(200, body)
  })
})

const VerificationBody = named("Verification", "The comparison of a page of accounts with their rows.", {
  since: Schema.String.annotate({ description: "Transactions before this time are trusted." }),
  accounts: Schema.Int.annotate({ description: "The number of compared accounts." }),
  differences: listOf(
    named("AccountDifference", "A difference between an account and its rows.", {
      userId: text("The person's id; `*` if it concerns all accounts together."),
      invariant: text("The invariant that does not hold."),
      expected: whole("The value according to the rows."),
      found: whole("The value of the account.")
    }),
    "The differences; empty if there are none."
  ),
  next: Schema.NullOr(Schema.String).annotate({ description: "`after` of the next page; null after the last one." })
})

/** Transactions older than this are not recomputed unless the request names a time, so that one page costs little. */
const TRUSTED_AFTER_MS = 86_400_000

/** Recomputes a page of accounts from their transactions and returns the differences. */
export const getVerification = defineRoute({
  method: "GET",
  path: "/api/admin/verification",
  summary: "Recomputes a page of accounts from their rows and returns the differences, as `parley credits verify` does",
  access: operatorAccess("support"),
  queryParameters: {
    since: optionalTimeParameter("Trust transactions before this time (ISO 8601); a day ago unless given."),
    after: textParameter("`next` of the previous page."),
    limit: integerParameter({ description: "The most accounts.", minimum: 1, maximum: 500, default: 500 })
  },
  responses: { 200: { description: "The comparison of a page of accounts.", schema: VerificationBody } },
  errors: ["invalid_request", "storage_unavailable"],
  largeWork: "read",
  handle: Effect.fnUntraced(function* ({ query: { after, limit, since } }) {
    const from = since ?? (yield* Clock.currentTimeMillis) - TRUSTED_AFTER_MS
    const chunk = yield* MoneyReports.use((reports) => reports.verify({ after, limit, since: from })).pipe(
      Effect.catchTag("InvalidInput", (refused) => Effect.fail(refusedCursor(refused)))
    )
    const body: typeof VerificationBody.Type = {
      since: new Date(from).toISOString(),
      accounts: chunk.accounts,
      differences: chunk.differences.map(({ expected, found, invariant, userId }) => ({
        ...{ userId, invariant, expected, found }
      })),
      next: chunk.next ?? null
    }
    return json(200, body)
  })
})
