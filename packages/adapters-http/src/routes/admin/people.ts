import { type AccessState, CreditService, OperatorReports, UserAccess } from "@parley/core/effect"
import { Effect, Schema } from "effect"
import { operatorAccess } from "../../access/operatorAccess.ts"
import { json } from "../../exchange/Exchange.ts"
import { BalanceBody, balanceBody, HistoryBody, historyBody, historyParameters } from "../billing/billing.ts"
import { integerParameter, refusedCursor, searchParameter, textParameter, userParameter } from "../parameters.ts"
import { flag, listOf, named, orNull, text } from "../fields.ts"
import { defineRoute } from "../Route.ts"
import { flagParameter } from "./operatorParameters.ts"

const isoOf = (moment: number | undefined): string | null =>
  moment === undefined ? null : new Date(moment).toISOString()

export const AccessBody = {
  blockedAt: orNull(Schema.String, "When the person was blocked; null if they are not."),
  notBefore: Schema.NullOr(Schema.String).annotate({ description: "Sessions that began earlier are refused." })
}

export const accessBody = ({ blockedAt, notBefore }: AccessState) => ({
  blockedAt: isoOf(blockedAt),
  notBefore: isoOf(notBefore)
})

const PersonRow = named("PersonSummary", "A person in a list.", {
  userId: text("The person's id."),
  tier: orNull(Schema.String, "The person's tier; null for a person without an account."),
  available: orNull(Schema.Int, "The credits that the person can spend; null for a person without an account."),
  ...AccessBody
})

const PeopleBody = named("PersonList", "A page of people.", {
  users: listOf(PersonRow, "The people, in the order of their ids."),
  next: Schema.NullOr(Schema.String).annotate({ description: "`after` of the next page; null on the last one." })
})

const AccountBody = named("Account", "The tier and the credits of a person.", {
  tier: text("The person's tier."),
  pinned: flag("True if billing events do not change the tier."),
  paidTier: orNull(Schema.String, "The tier that billing would set; null for a person who never paid for one."),
  balance: BalanceBody
})

const PersonBody = named("Person", "A person, as operators see them.", {
  userId: text("The person's id."),
  ...AccessBody,
  account: orNull(AccountBody, "Null for a person who never signed in.")
})

/** The people, page by page. */
export const listPeople = defineRoute({
  method: "GET",
  path: "/api/admin/users",
  summary: "Lists people with their tier, credits and blocks, in the order of their ids",
  access: operatorAccess("support"),
  queryParameters: {
    search: {
      ...searchParameter,
      description: "Part of the id, in any case, or the whole id of the payment provider's customer."
    },
    blocked: flagParameter("`true`: only blocked people."),
    after: textParameter("`next` of the previous page."),
    limit: integerParameter({ description: "The most people.", minimum: 1, maximum: 1_000, default: 100 })
  },
  responses: { 200: { description: "A page of people.", schema: PeopleBody } },
  errors: ["invalid_request", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ query: { after, blocked, limit, search } }) {
    const wanted = search === undefined || search === "" ? {} : { search }
    const page = yield* UserAccess.use((users) =>
      users.list({ ...wanted, blocked, limit, ...(after === undefined ? {} : { after }) })
    ).pipe(Effect.catchTag("InvalidInput", (refused) => Effect.fail(refusedCursor(refused))))
    const body: typeof PeopleBody.Type = {
      users: page.people.map((person) => ({
        userId: person.userId,
        tier: person.tier ?? null,
        available: person.available ?? null,
        ...accessBody(person)
      })),
      next: page.next ?? null
    }
    return json(200, body)
  })
})

/** One person. */
export const getPerson = defineRoute({
  method: "GET",
  path: "/api/admin/users/{id}",
  summary: "Returns a person's tier, credits and access",
  access: operatorAccess("support"),
  pathParameters: { id: userParameter },
  responses: { 200: { description: "The person.", schema: PersonBody } },
  errors: ["user_not_found", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ path: { id } }) {
    const { access, account, userId } = yield* OperatorReports.use((reports) => reports.person(id))
    const body: typeof PersonBody.Type = {
      userId,
      ...accessBody(access),
      account:
        account === undefined
          ? null
          : {
              tier: account.tier.tier,
              pinned: account.tier.pinned,
              paidTier: account.tier.paidTier ?? null,
              balance: balanceBody(account.balance)
            }
    }
    return json(200, body)
  })
})

/** The history of a person's balance. */
export const getHistoryOfPerson = defineRoute({
  method: "GET",
  path: "/api/admin/users/{id}/history",
  summary: "Lists a person's credit transactions, newest first",
  access: operatorAccess("support"),
  pathParameters: { id: userParameter },
  queryParameters: historyParameters,
  responses: { 200: { description: "The transactions.", schema: HistoryBody } },
  errors: ["account_not_found", "storage_unavailable"],
  handle: Effect.fnUntraced(function* ({ path: { id }, query }) {
    const page = yield* CreditService.use((credits) => credits.history({ userId: id, ...query }))
    return json(200, historyBody(page, query))
  })
})
