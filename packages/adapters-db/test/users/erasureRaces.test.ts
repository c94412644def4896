import { AccessList, Accounts, Catalog, CrmRelease, EmailSignIn, noCrmLayer, noPayments } from "@parley/core/effect"
import { SecurityEvents, UserAccess, UserService } from "@parley/core/effect"
import {
  AccessStore,
  Mailer,
  PaymentEventStore,
  type PaymentProvider,
  paymentProviderLayer,
  PaymentUnavailable,
  SignInStore
} from "@parley/core/adapter"
import { defaultCatalog } from "@parley/core"
import { newUserId, reservation, testedLedger } from "@parley/core/testing"
import { createHash } from "node:crypto"
import { Deferred, Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { storesLayer } from "../../src/storesLayer.ts"
import { noFacts } from "../../../core/src/billing/SubscriptionFacts.ts"
import { hasPostgres, migratedPostgres } from "../databases.ts"

const PEOPLE = 60
/** Reads by which the block and the sign-in of the n-th person begin later than the erasure. */
const MOST_READS = 13

/** The codes that are awaited, by address. */
const awaited = new Map<string, Deferred.Deferred<string>>()
const codeIn = (text: string): string => /[?]code=([0-9A-Z-]{9})/.exec(text)?.[1] ?? ""

const servicesWith = (payments: PaymentProvider) =>
  Layer.mergeAll(EmailSignIn.layer, UserAccess.layer, UserService.layer).pipe(
    Layer.provideMerge(Layer.mergeAll(AccessList.layer, SecurityEvents.layer)),
    Layer.provide([
      paymentProviderLayer(payments),
      Layer.succeed(Catalog, defaultCatalog),
      Layer.succeed(Mailer, {
        send: ({ text, to }) =>
          Effect.suspend(() =>
            Deferred.succeed(awaited.get(to) ?? expect.fail("a mail to an unknown address"), codeIn(text))
          )
      }),
      Layer.provide(CrmRelease.layer, noCrmLayer)
    ])
  )

const services = servicesWith(noPayments)

/** Asks for a sign-in, reads its mail, and returns the request that confirms it. */
const pendingSignIn = Effect.fnUntraced(function* (email: string, index: number) {
  const signIn = yield* EmailSignIn
  const mailed = yield* Deferred.make<string>()
  awaited.set(email, mailed)
  const address = `192.0.2.${index}`
  const browser = yield* signIn.ask({ email, address, language: "en", page: "https://chat.example/sign-in" })
  return signIn.confirm({ browser, code: yield* Deferred.await(mailed), address })
})

/** Blocks, erases and signs in one person at once; returns what contradicts the block, if any does. */
const round = Effect.fnUntraced(function* (index: number) {
  const access = yield* AccessStore
  const userId = newUserId()
  const email = `${userId.toLowerCase()}@example.org`
  const mailbox = `mailbox:${createHash("sha256").update(email).digest("hex")}`
  yield* SignInStore.use((store) => store.enter({ email, newUserId: userId }))
  const confirm = yield* pendingSignIn(email, index)
  const reads = Effect.repeat(access.find(userId), { times: index % MOST_READS })
  const block = UserAccess.use((users) => users.block(userId))
  const isBlockedBefore = index % 2 === 0
  if (isBlockedBefore) yield* block
  const [signedIn] = yield* Effect.all(
    [
      Effect.andThen(reads, Effect.exit(confirm)),
      UserService.use((users) => users.erase(userId)),
      isBlockedBefore ? Effect.void : Effect.andThen(reads, block)
    ],
    { concurrency: "unbounded" }
  )
  const { blockedAt = Infinity, notBefore = 0 } = (yield* access.find(userId)) ?? {}
  const keptBlock = (yield* access.find(mailbox))?.blockedAt !== undefined
  return {
    blockedFirst: blockedAt <= notBefore,
    lostBlock: blockedAt <= notBefore && !keptBlock,
    newPerson: keptBlock && signedIn._tag === "Success" && signedIn.value.userId !== userId
  }
})

describe.runIf(hasPostgres)("an erasure, a block and a sign-in of one person at once", () => {
  it("a block before the erasure stays on the mailbox, which then opens no new person", () =>
    Effect.gen(function* () {
      const url = yield* migratedPostgres
      const layer = Layer.provideMerge(
        services,
        storesLayer().pipe(Layer.provide(PgDatabaseLayer({ url, maxConnections: 12 })))
      )
      const rounds = yield* Effect.forEach(Array(PEOPLE).keys(), round, { concurrency: 3 }).pipe(Effect.provide(layer))
      expect(rounds.filter(({ newPerson, lostBlock }) => lostBlock || newPerson)).toEqual([])
      const first = rounds.filter(({ blockedFirst }) => blockedFirst).length
      expect([first > 0, first < PEOPLE]).toEqual([true, true])
    }).pipe(Effect.scoped, Effect.runPromise))
})

describe.runIf(hasPostgres)("one's own erasure on two servers at once", () => {
  it("happens once, and a new account begins without an allowance", () =>
    Effect.gen(function* () {
      const url = yield* migratedPostgres
      const server = Layer.provideMerge(
        Layer.merge(services, Accounts.layer.pipe(Layer.provide(Layer.succeed(Catalog, defaultCatalog)))),
        storesLayer().pipe(Layer.provide(PgDatabaseLayer({ url, maxConnections: 6 })))
      )
      const [one, other] = [yield* Layer.build(Layer.fresh(server)), yield* Layer.build(Layer.fresh(server))]
      for (const userId of Array.from({ length: 10 }, newUserId)) {
        const account = Accounts.use((accounts) => accounts.of(userId))
        expect((yield* Effect.provide(account, one)).allowance).toBeGreaterThan(0)
        const erase = Effect.result(UserService.use((users) => users.eraseOneself(userId)))
        const returned = Effect.exit(Effect.andThen(erase, account))
        const outcomes = yield* Effect.all(
          [Effect.provide(erase, one), Effect.provide(erase, other), Effect.provide(returned, other)],
          { concurrency: "unbounded" }
        )
        expect((yield* Effect.provide(account, one)).allowance).toBe(0)
        const ends = outcomes.slice(0, 2).map((each) => (each._tag === "Failure" ? "refused" : "erased"))
        expect(ends.filter((end) => end === "erased").length).toBeLessThanOrEqual(1)
        expect(
          yield* Effect.provide(Effect.flip(UserService.use((users) => users.eraseOneself(userId))), other)
        ).toMatchObject({ _tag: "ErasureLimited" })
        // An operator may; the rows of the account are proven before.
        yield* Effect.provide(
          UserService.use((users) => users.erase(userId)),
          one
        )
      }
    }).pipe(Effect.scoped, Effect.runPromise))
})

describe.runIf(hasPostgres)("an erasure that ends a plan at the payment provider", () => {
  const subscribed = (userId: string) =>
    PaymentEventStore.use((store) =>
      Effect.gen(function* () {
        const event = { id: `evt_${userId}`, kind: "x", createdAt: 0, customerId: undefined, payload: "{}" }
        yield* store.receive({ event, references: [], claimed: userId, bought: {}, again: false })
        yield* store.conclude({
          event,
          userId,
          outcome: { state: "applied", note: "" },
          subscription: noFacts(`sub_${userId}`),
          followed: undefined,
          invoiceReports: undefined,
          bought: undefined,
          links: [],
          waitsFor: []
        })
      })
    )

  it("is not refused by work that begins meanwhile on another server, which gets no credits", () =>
    Effect.gen(function* () {
      const url = yield* migratedPostgres
      const stores = Layer.fresh(storesLayer().pipe(Layer.provide(PgDatabaseLayer({ url, maxConnections: 6 }))))
      const other = yield* Layer.build(stores)
      const begun: Array<unknown> = []
      let userId = ""
      const reserve = Effect.suspend(() =>
        Effect.flatMap(testedLedger, (ledger) => ledger.reserve(reservation(userId, `reply:${userId}`, 1)))
      )
      const endSubscription = () =>
        reserve.pipe(
          Effect.map(({ _tag }) => void begun.push(_tag)),
          Effect.provide(other),
          Effect.orDie
        )
      const users = Layer.provideMerge(servicesWith({ ...noPayments, endSubscription }), Layer.fresh(stores))
      yield* Effect.gen(function* () {
        const ledger = yield* testedLedger
        for (const name of ["erase", "eraseOneself"] as const) {
          userId = newUserId()
          yield* ledger.open({ userId, tier: "free", allowance: 100 })
          yield* subscribed(userId)
          yield* UserService.use((service) => service[name](userId))
        }
        expect(begun).toEqual(["Refused", "Refused"])
      }).pipe(Effect.provide(users))
    }).pipe(Effect.scoped, Effect.runPromise))

  it("gives the credits back if the payment provider fails", () =>
    Effect.gen(function* () {
      const url = yield* migratedPostgres
      const down = new PaymentUnavailable({ operation: "endSubscription", cause: undefined })
      const users = Layer.provideMerge(
        servicesWith({ ...noPayments, endSubscription: () => Effect.fail(down) }),
        storesLayer().pipe(Layer.provide(PgDatabaseLayer({ url, maxConnections: 6 })))
      )
      yield* Effect.gen(function* () {
        const [ledger, userId] = [yield* testedLedger, newUserId()]
        const before = yield* ledger.open({ userId, tier: "free", allowance: 100 })
        yield* subscribed(userId)
        expect(yield* Effect.flip(UserService.use((service) => service.erase(userId)))).toBe(down)
        expect(yield* ledger.account(userId)).toEqual(before)
      }).pipe(Effect.provide(users))
    }).pipe(Effect.scoped, Effect.runPromise))
})
