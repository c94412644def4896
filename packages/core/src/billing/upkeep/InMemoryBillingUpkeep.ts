import { Effect, Layer } from "effect"
import { InMemoryStorage } from "../../storage/InMemoryStorage.ts"
import {
  BillingUpkeep,
  type ForgetInput,
  type Forgotten,
  type SeveralInput,
  type SeveralSubscriptions
} from "./BillingUpkeep.ts"
import { InMemoryPayments } from "./InMemoryPayments.ts"

const make = Effect.gen(function* () {
  const storage = yield* InMemoryStorage
  const { accounts, inbox, marks } = yield* InMemoryPayments

  const forget = ({ doneBefore, limit, unmatchedBefore }: ForgetInput): Forgotten => {
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
    for (const event of done) inbox.set(event.id, { event: { ...event, payload: undefined }, waitsFor: [] })
    return { reduced: done.length, deleted: unmatched.length }
  }

  const several = ({ after = "", limit }: SeveralInput): ReadonlyArray<SeveralSubscriptions> =>
    [...accounts.values()]
      .map(({ subscriptions, userId }) => ({
        userId,
        subscriptions: subscriptions
          .filter(({ checkout, endedAt, paid }) => endedAt === undefined && (paid ?? checkout) !== undefined)
          .map(({ id }) => id)
          .toSorted()
      }))
      .filter(({ subscriptions, userId }) => subscriptions.length > 1 && userId > after)
      .toSorted((a, b) => (a.userId < b.userId ? -1 : 1))
      .slice(0, limit)

  return BillingUpkeep.of({
    forget: (input) => storage.exclusive(Effect.sync(() => forget(input))),
    caughtUpTo: storage.exclusive(Effect.sync(() => marks.get("caughtUpTo"))),
    noteCaughtUp: (at) =>
      storage.exclusive(Effect.sync(() => void marks.set("caughtUpTo", Math.max(at, marks.get("caughtUpTo") ?? at)))),
    several: (input) => storage.exclusive(Effect.sync(() => several(input)))
  })
})

/** What is done with the payments that are kept in the memory of one process. */
export const InMemoryBillingUpkeep = {
  layer: Layer.effect(BillingUpkeep, make).pipe(Layer.provide([InMemoryPayments.layer, InMemoryStorage.layer]))
}
