import { Effect, type Layer } from "effect"
import { expect, it } from "vitest"
import { sha256OfText } from "../../secrets/sha256.ts"
import { AccessStore } from "../../sessions/AccessStore.ts"
import { MOST_TRIES, type PendingSignIn, SignInStore } from "../../signin/SignInStore.ts"
import { PersonalData } from "../../users/PersonalData.ts"
import { newUserId } from "../storage/storageFixtures.ts"
import { suiteOn } from "../suiteOn.ts"

let sequence = 0

/** A sign-in with a browser and an address of its own. */
const newPending = (change: Partial<PendingSignIn> = {}) =>
  Effect.gen(function* () {
    const id = `${newUserId()}-${sequence++}`
    return {
      browser: yield* sha256OfText(`browser ${id}`),
      code: yield* sha256OfText(`code ${id}`),
      email: `${id}@example.org`.toLowerCase(),
      lifetimeMs: 600_000,
      ...change
    }
  })

/** Tests the guarantees of a `SignInStore`. `layer` is built once, for all tests. */
export const signInStoreContract = (
  name: string,
  layer: Layer.Layer<AccessStore | PersonalData | SignInStore, unknown>
): void =>
  suiteOn(`SignInStore: ${name}`, layer, (run) => {
    const begin = (pending: PendingSignIn) => SignInStore.use((store) => store.begin(pending))
    const redeem = ({ browser, code }: PendingSignIn, newId = newUserId()) =>
      SignInStore.use((store) =>
        Effect.flatMap(store.redeem({ browser, code }), (email) =>
          email === undefined ? Effect.undefined : store.enter({ email, newUserId: newId })
        )
      )
    const find = (userId: string) => SignInStore.use((store) => store.find(userId))

    it("the first code of an address creates its person, and a later one finds it", () =>
      run(
        Effect.gen(function* () {
          const userId = newUserId()
          const first = yield* newPending()
          yield* begin(first)
          const person = yield* redeem(first, userId)
          expect(person).toEqual({
            userId,
            email: first.email,
            createdAt: expect.any(Number),
            signedInAt: expect.any(Number)
          })
          const second = yield* newPending({ email: first.email })
          yield* begin(second)
          const again = yield* redeem(second)
          expect(again).toEqual({ ...person, signedInAt: expect.any(Number) })
          expect(again?.signedInAt).toBeGreaterThanOrEqual(person?.signedInAt ?? Infinity)
          expect(yield* find(userId)).toEqual(again)
          expect(yield* find(newUserId())).toBeUndefined()
        })
      ))

    it("a code counts once, also of many concurrent tries", () =>
      run(
        Effect.gen(function* () {
          const pending = yield* newPending()
          yield* begin(pending)
          const tries = Array.from({ length: MOST_TRIES }, () => redeem(pending))
          const people = yield* Effect.all(tries, { concurrency: "unbounded" })
          expect(people.filter((person) => person !== undefined)).toHaveLength(1)
          expect(yield* redeem(pending)).toBeUndefined()
        })
      ))

    it("a code ends after the allowed number of tries, also of concurrent ones", () =>
      run(
        Effect.gen(function* () {
          const pending = yield* newPending()
          const wrong = { ...pending, code: yield* sha256OfText("wrong") }
          yield* begin(pending)
          const tries = Array.from({ length: MOST_TRIES - 1 }, () => redeem(wrong))
          yield* Effect.all(tries, { concurrency: "unbounded" })
          const other = yield* newPending()
          yield* begin(other)
          yield* Effect.all([...tries, redeem({ ...other, code: wrong.code }), redeem(wrong)], {
            concurrency: "unbounded"
          })
          expect(yield* redeem(pending)).toBeUndefined()
          expect(yield* redeem(other)).toBeDefined()
        })
      ))

    it("the last allowed try may be the right one", () =>
      run(
        Effect.gen(function* () {
          const pending = yield* newPending()
          const wrong = { ...pending, code: yield* sha256OfText("wrong") }
          yield* begin(pending)
          yield* Effect.all(Array.from({ length: MOST_TRIES - 1 }, () => redeem(wrong)))
          expect(yield* redeem(pending)).toBeDefined()
        })
      ))

    it("a code counts in its own browser only, and until it expires", () =>
      run(
        Effect.gen(function* () {
          const pending = yield* newPending()
          const other = yield* newPending()
          const expired = yield* newPending({ lifetimeMs: -1 })
          yield* Effect.all([begin(pending), begin(other), begin(expired)])
          expect(yield* redeem({ ...pending, browser: other.browser })).toBeUndefined()
          expect(yield* redeem(expired)).toBeUndefined()
          expect(yield* redeem(pending)).toBeDefined()
        })
      ))

    it("a new sign-in of a browser replaces the one before", () =>
      run(
        Effect.gen(function* () {
          const first = yield* newPending()
          const second = yield* newPending({ browser: first.browser })
          yield* begin(first)
          yield* begin(second)
          expect(yield* redeem(first)).toBeUndefined()
          expect(yield* redeem(second)).toMatchObject({ email: second.email })
        })
      ))

    it("a person whose access was ended is listed by the whole address, in any case", () =>
      run(
        Effect.gen(function* () {
          const [userId, other] = [newUserId(), newUserId()]
          const pending = yield* newPending()
          yield* begin(pending)
          yield* redeem(pending, userId)
          for (const person of [userId, other]) {
            yield* AccessStore.use((access) => access.change({ userId: person, change: "block" }))
          }
          const list = (search: string) =>
            PersonalData.use((data) => data.list({ search, blocked: false, after: undefined, limit: 10 }))
          expect((yield* list(pending.email.toUpperCase())).rows.map((person) => person.userId)).toEqual([userId])
          expect((yield* list(pending.email.slice(1))).rows).toEqual([])
        })
      ))

    it("a sweep forgets expired sign-ins, at most so many, and no other", () =>
      run(
        Effect.gen(function* () {
          const sweep = (limit: number) => SignInStore.use((store) => store.sweep({ limit }))
          while ((yield* sweep(1_000)) > 0);
          const expired = yield* Effect.all([newPending({ lifetimeMs: -1 }), newPending({ lifetimeMs: -1 })])
          const open = yield* newPending()
          yield* Effect.forEach([...expired, open], begin)
          expect([yield* sweep(1), yield* sweep(10), yield* sweep(10)]).toEqual([1, 1, 0])
          expect(yield* redeem(open)).toBeDefined()
        })
      ))

    it("an erasure removes the address and its open sign-ins; a later sign-in is a new person", () =>
      run(
        Effect.gen(function* () {
          const [userId, later] = [newUserId(), newUserId()]
          const first = yield* newPending()
          const open = yield* newPending({ email: first.email })
          const other = yield* newPending()
          yield* Effect.all([begin(first), begin(open), begin(other)])
          expect(yield* redeem(first, userId)).toMatchObject({ userId })
          yield* PersonalData.use((data) => data.erase({ userId, pseudonym: `erased:${newUserId()}` }))
          expect(yield* find(userId)).toBeUndefined()
          expect(yield* redeem(open)).toBeUndefined()
          expect(yield* redeem(other)).toBeDefined()
          const again = yield* newPending({ email: first.email })
          yield* begin(again)
          expect(yield* redeem(again, later)).toMatchObject({ userId: later })
        })
      ))
  })
