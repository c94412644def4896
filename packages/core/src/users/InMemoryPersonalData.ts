import { Clock, Effect, Layer } from "effect"
import { cursorOf, type Page, pageOf, PersonPosition, readCursor } from "../storage/Cursor.ts"
import { InMemoryStorage, type PartOfPerson } from "../storage/InMemoryStorage.ts"
import { type ListedPerson, type ListPeopleInput, PersonalData, type StoredData } from "./PersonalData.ts"

const added = (parts: ReadonlyArray<Partial<StoredData>>): StoredData => ({
  chats: parts.reduce((sum, { chats = 0 }) => sum + chats, 0),
  documents: parts.reduce((sum, { documents = 0 }) => sum + documents, 0),
  transactions: parts.reduce((sum, { transactions = 0 }) => sum + transactions, 0)
})

/** Merges what the stores know of each person. */
const listed = (
  parts: ReadonlyArray<PartOfPerson>,
  { also, blocked, limit, search = "" }: ListPeopleInput,
  after: string | undefined = ""
): Page<ListedPerson> => {
  const found = [...Map.groupBy(parts, ({ userId }) => userId).values()]
    .map((some): PartOfPerson => Object.assign({}, ...some))
    .filter(({ tier, blockedAt, notBefore }) => (tier ?? blockedAt ?? notBefore) !== undefined)
    .filter(({ blockedAt }) => !blocked || blockedAt !== undefined)
    .filter(
      ({ customerId, email, userId }) =>
        userId.toLowerCase().includes(search.toLowerCase()) ||
        customerId === search ||
        email === search.toLowerCase() ||
        userId === also
    )
    .filter(({ userId }) => userId > after)
    .toSorted((a, b) => (a.userId < b.userId ? -1 : 1))
    .map(({ available, blockedAt, notBefore, tier, userId }) => ({ userId, tier, available, blockedAt, notBefore }))
  return pageOf(found, limit, ({ userId }) => cursorOf(userId))
}

const make = Effect.map(InMemoryStorage, (storage) => {
  const pseudonyms = new Set<string>()
  return PersonalData.of({
    list: (input) =>
      Effect.flatMap(readCursor(PersonPosition, input.after), (after) =>
        storage.exclusive(
          Effect.sync(() => {
            const parts = storage.personalParts.flatMap(({ people }) => people?.() ?? [])
            return listed(
              parts.filter(({ userId }) => !pseudonyms.has(userId)),
              input,
              after?.[0]
            )
          })
        )
      ),
    // Nothing changes rows behind the stores of this process.
    begin: () => Effect.void,
    count: (userId) =>
      storage.exclusive(Effect.sync(() => added(storage.personalParts.map(({ count }) => count(userId))))),
    erase: ({ pseudonym, userId }) =>
      storage.exclusive(
        Effect.map(Clock.currentTimeMillis, (now) => {
          const parts = storage.personalParts
          if (parts.some(({ isInUse }) => isInUse?.(userId) === true)) return { _tag: "AccountInUse" as const }
          const counts = parts.map(({ count }) => count(userId))
          const stored = added(counts)
          const all = counts.flatMap((each) => Object.values(each)).reduce((sum, each) => sum + each, 0)
          for (const { erase } of parts) erase(userId, pseudonym, now)
          pseudonyms.add(pseudonym)
          const others = all - stored.chats - stored.documents - stored.transactions
          return { _tag: "Erased" as const, ...stored, others }
        })
      )
  })
})

/** The personal data of the in-memory stores, erased in one step. */
export const InMemoryPersonalData = {
  layer: Layer.effect(PersonalData, make).pipe(Layer.provide(InMemoryStorage.layer))
}
