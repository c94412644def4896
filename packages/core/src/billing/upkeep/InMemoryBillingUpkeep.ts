import { Effect, Layer, Schema } from "effect"
import { cursorOf, type Page, pageOf, PersonPosition, positionIn } from "../../storage/Cursor.ts"
import { InMemoryStorage } from "../../storage/InMemoryStorage.ts"
import { InMemoryAccounts } from "../../credits/InMemoryCreditLedger.ts"
import {
  BillingUpkeep,
  type CreditedInput,
  type CreditedSession,
  type ForgetInput,
  type Forgotten,
  type PaidPerson,
  type PeopleInput,
  type SeveralSubscriptions
} from "./BillingUpkeep.ts"
import { InMemoryPayments, type PaymentTables } from "./InMemoryPayments.ts"

type Accounts = InMemoryAccounts["Service"]

const forget = ({ inbox }: PaymentTables, { doneBefore, limit, unmatchedBefore }: ForgetInput): Forgotten => {
  const kept = [...inbox.values()].map(({ event }) => event).filter(({ payload }) => payload !== undefined)
  const unmatched = kept
    .filter(
      ({ receivedAt, state, userId }) => (userId === undefined || state === "waiting") && receivedAt < unmatchedBefore
    )
    .slice(0, limit)
  for (const { id } of unmatched) inbox.delete(id)
  const done = kept
    .filter(
      ({ receivedAt, state, userId }) =>
        userId !== undefined && ["applied", "ignored"].includes(state) && receivedAt < doneBefore
    )
    .slice(0, limit)
  for (const event of done) {
    const report = inbox.get(event.id)?.report
    inbox.set(event.id, { event: { ...event, payload: undefined }, waitsFor: [], report })
  }
  return { reduced: done.length, deleted: unmatched.length }
}

const stranded = ({ inbox, owners }: PaymentTables, limit: number): ReadonlyArray<string> =>
  [...inbox.values()]
    .filter(({ event, waitsFor }) => event.state === "waiting" && waitsFor.some((one) => owners.has(one)))
    .toSorted((a, b) => a.event.createdAt - b.event.createdAt)
    .slice(0, limit)
    .map(({ event }) => event.id)

const several = ({ accounts }: PaymentTables, { after, limit }: PeopleInput): Page<SeveralSubscriptions> => {
  const [last = ""] = positionIn(PersonPosition, after) ?? []
  const found = [...accounts.values()]
    .map(({ subscriptions, userId }) => ({
      userId,
      subscriptions: subscriptions
        .filter(({ checkout, endedAt, paid }) => endedAt === undefined && (paid ?? checkout) !== undefined)
        .map(({ id }) => id)
        .toSorted()
    }))
    .filter(({ subscriptions, userId }) => subscriptions.length > 1 && userId > last)
    .toSorted((a, b) => (a.userId < b.userId ? -1 : 1))
  return pageOf(found, limit, ({ userId }) => cursorOf(userId))
}

/** No other program can write the memory of this process, so no stored payment is ever altered. */
const people = ({ accounts }: PaymentTables, ledger: Accounts, { after, limit }: PeopleInput): Page<PaidPerson> => {
  const [last = ""] = positionIn(PersonPosition, after) ?? []
  const renewed = [...ledger.values()].flatMap(({ account }) => (account.renewedBy === "invoice" ? account.userId : []))
  const found = [...new Set([...accounts.keys(), ...renewed])]
    .filter((userId) => userId > last)
    .toSorted()
    .map((userId) => ({ userId, altered: [] }))
  return pageOf(found, limit, ({ userId }) => cursorOf(userId))
}

/** The position of a row in the ledger: its owner and its number. */
const RowPosition = Schema.Tuple([Schema.String, Schema.Number])

const credited = (ledger: Accounts, { after, limit, since }: CreditedInput): Page<CreditedSession> => {
  const [lastUser = "", lastNumber = 0] = positionIn(RowPosition, after) ?? []
  const found = [...ledger.values()]
    .filter(({ account }) => !account.userId.startsWith("erased:"))
    .toSorted((a, b) => (a.account.userId < b.account.userId ? -1 : 1))
    .flatMap(({ account: { userId }, transactions }) =>
      transactions.flatMap(({ amount, createdAt, reference, type }, index): ReadonlyArray<CreditedSession> => {
        if (type !== "topup" || createdAt < since || !reference.startsWith("topup:")) return []
        return [{ userId, number: index + 1, sessionId: reference.slice("topup:".length), amount }]
      })
    )
    .filter(({ number, userId }) => userId > lastUser || (userId === lastUser && number > lastNumber))
  return pageOf(found, limit, ({ number, userId }) => cursorOf(userId, number))
}

const make = Effect.gen(function* () {
  const storage = yield* InMemoryStorage
  const tables = yield* InMemoryPayments
  const ledger = yield* InMemoryAccounts
  const { marks } = tables
  return BillingUpkeep.of({
    people: (input) => storage.exclusive(Effect.sync(() => people(tables, ledger, input))),
    credited: (input) => storage.exclusive(Effect.sync(() => credited(ledger, input))),
    forget: (input) => storage.exclusive(Effect.sync(() => forget(tables, input))),
    caughtUpTo: storage.exclusive(Effect.sync(() => marks.get("caughtUpTo"))),
    noteCaughtUp: (at) =>
      storage.exclusive(Effect.sync(() => void marks.set("caughtUpTo", Math.max(at, marks.get("caughtUpTo") ?? at)))),
    stranded: (limit) => storage.exclusive(Effect.sync(() => stranded(tables, limit))),
    several: (input) => storage.exclusive(Effect.sync(() => several(tables, input)))
  })
})

/** The upkeep of payments in the memory of one process. */
export const InMemoryBillingUpkeep = {
  layer: Layer.effect(BillingUpkeep, make).pipe(
    Layer.provide([InMemoryAccounts.layer, InMemoryPayments.layer, InMemoryStorage.layer])
  )
}
