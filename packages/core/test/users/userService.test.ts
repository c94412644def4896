import { AccessList } from "../../src/sessions/AccessList.ts"
import { SecurityEvents } from "../../src/security/SecurityEvents.ts"
import { Cause, Deferred, Effect, Exit, Fiber, Layer } from "effect"
import { type CreditPorts, CreditRecords } from "../../src/credits/CreditLedger.ts"
import { testedLedger } from "../../src/testing/credits/testedLedger.ts"
import { describe, expect, it } from "vitest"
import { PaymentEventStore } from "../../src/billing/inbox/PaymentEventStore.ts"
import { PaymentObjectNotFound, PaymentUnavailable } from "../../src/billing/errors.ts"
import { noPayments } from "../../src/billing/provider/noPayments.ts"
import { paymentProviderLayer, type PaymentProvider } from "../../src/billing/provider/PaymentProvider.ts"
import { noFacts } from "../../src/billing/SubscriptionFacts.ts"
import { CrmRelease } from "../../src/crm/CrmRelease.ts"
import { noCrmLayer } from "../../src/crm/CrmProvider.ts"
import { Catalog } from "../../src/tiers/Catalog.ts"
import { defaultCatalog } from "../../src/tiers/shippedCatalog.ts"
import { inMemoryStorageLayer } from "../../src/StoragePorts.ts"
import { receiptDraft, reservation } from "../../src/testing/credits/creditFixtures.ts"
import { newUserId } from "../../src/testing/storage/storageFixtures.ts"
import { type Run, suiteOn } from "../../src/testing/suiteOn.ts"
import { personalDataContract } from "../../src/testing/users/personalDataContract.ts"
import { userExportContract } from "../../src/testing/users/userExportContract.ts"
import { PersonalData } from "../../src/users/PersonalData.ts"
import { UserService } from "../../src/users/UserService.ts"

personalDataContract("in memory", inMemoryStorageLayer)
userExportContract("in memory", inMemoryStorageLayer)

const operations = testedLedger

const erasing = (run: Run<UserService | CreditPorts>) => {
  it("forfeits what is left, writes off what is owed, and names the pseudonym", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const ledger = yield* operations
        yield* ledger.open({ userId, tier: "free", allowance: 100 })
        yield* ledger.adjust({ userId, key: "adjust:1", amount: -130, reason: "a mistake" })
        const users = yield* UserService
        expect(yield* users.find(userId)).toEqual({ chats: 0, documents: 0, transactions: 2 })
        const { pseudonym, transactions } = yield* users.erase(userId)
        expect([pseudonym.startsWith("erased:"), transactions]).toEqual([true, 3])
        const { transactions: rows } = yield* CreditRecords.use((port) =>
          port.history({ userId: pseudonym, limit: 1, offset: 0, type: undefined })
        )
        expect(rows).toMatchObject([{ type: "adjustment", amount: 30, balanceAfter: 0 }])
        expect(yield* Effect.flip(users.erase(userId))).toMatchObject({ _tag: "UserNotFound" })
      })
    ))

  it("waits for no reply: while one is paid, nothing is erased, and it can be repeated afterwards", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const ledger = yield* operations
        yield* ledger.open({ userId, tier: "free", allowance: 100 })
        yield* ledger.reserve(reservation(userId, "reply:1", 30))
        const users = yield* UserService
        expect(yield* Effect.flip(users.erase(userId))).toMatchObject({ _tag: "HoldsOpen", open: 1 })
        expect(yield* users.find(userId)).toMatchObject({ transactions: 1 })
        yield* ledger.settle({ userId, key: "reply:1", amount: 3, draft: receiptDraft })
        expect(yield* users.erase(userId)).toMatchObject({ transactions: 3 })
      })
    ))

  it("an erased account gets nothing at a reset", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const ledger = yield* operations
        const { nextResetAt } = yield* ledger.open({ userId, tier: "free", allowance: 100 })
        const { pseudonym } = yield* UserService.use((users) => users.erase(userId))
        const port = yield* testedLedger
        const due = yield* port.due({ asOf: nextResetAt + 1, limit: 1_000, before: undefined })
        const chunk =
          due &&
          (yield* port.reset({
            range: due,
            asOf: nextResetAt + 1,
            allowances: { free: 100, pro: 0, business: 0 },
            dryRun: false
          }))
        expect(chunk?.tiers["free"]?.accounts ?? 0).toBe(0)
        expect(yield* port.account(pseudonym)).toMatchObject({ allowance: 0 })
      })
    ))
}

const onSale = Layer.succeed(Catalog, defaultCatalog)
const unsold = paymentProviderLayer(noPayments)
const unconnected = Layer.provide(CrmRelease.layer, noCrmLayer)
suiteOn(
  "UserService",
  UserService.layer.pipe(
    Layer.provide([AccessList.layer, SecurityEvents.layer]),
    Layer.provide([unsold, unconnected, onSale]),
    Layer.provideMerge(inMemoryStorageLayer)
  ),
  erasing
)

describe("erasing a person with a subscription", () => {
  const subscribed = (id: string, endedAt: number | undefined) =>
    PaymentEventStore.use((store) =>
      Effect.gen(function* () {
        const event = { id: `evt_${id}`, kind: "x", createdAt: 0, customerId: undefined, payload: "{}" }
        yield* store.receive({ event, references: [], claimed: "ann", bought: {}, again: false })
        yield* store.conclude({
          event,
          userId: "ann",
          outcome: { state: "applied", note: "" },
          subscription: { ...noFacts(id), endedAt },
          followed: undefined,
          invoiceReports: undefined,
          bought: undefined,
          links: [],
          waitsFor: []
        })
      })
    )
  const erased = (
    gateway: PaymentProvider,
    isReplying = false,
    attempt = UserService.use((users) => Effect.asVoid(users.erase("ann")))
  ) =>
    Effect.runPromise(
      Effect.gen(function* () {
        yield* (yield* operations).open({ userId: "ann", tier: "free", allowance: 100 })
        if (isReplying) yield* (yield* operations).reserve(reservation("ann", "reply:1", 30))
        yield* subscribed("sub_ended", 1)
        yield* subscribed("sub_runs", undefined)
        yield* subscribed("sub_unknown", undefined)
        const outcome = yield* Effect.exit(attempt)
        return { outcome, left: yield* Effect.exit(UserService.use((users) => users.find("ann"))) }
      }).pipe(
        Effect.provide(
          UserService.layer.pipe(
            Layer.provide([AccessList.layer, SecurityEvents.layer]),
            Layer.provide([paymentProviderLayer(gateway), unconnected, onSale]),
            Layer.provideMerge(inMemoryStorageLayer)
          ),
          { local: true }
        )
      )
    )

  it("ends the subscriptions that go on at the payment provider, and no other", async () => {
    const ended: Array<string> = []
    const { left, outcome } = await erased({
      ...noPayments,
      endSubscription: (id) =>
        Effect.suspend(() => {
          ended.push(id)
          return id === "sub_unknown"
            ? Effect.fail(new PaymentObjectNotFound({ object: "subscription", id }))
            : Effect.void
        })
    })
    expect([Exit.isSuccess(outcome), Exit.isSuccess(left)]).toEqual([true, false])
    expect(ended.toSorted()).toEqual(["sub_runs", "sub_unknown"])
  })

  it("ends no subscription if a reply is being written, which refuses the erasure", async () => {
    const ended: Array<string> = []
    const endSubscription = (id: string) => Effect.sync(() => void ended.push(id))
    const { left, outcome } = await erased({ ...noPayments, endSubscription }, true)
    expect(Exit.isFailure(outcome) && Cause.squash(outcome.cause)).toMatchObject({ _tag: "HoldsOpen", open: 1 })
    expect([Exit.isSuccess(left), ended]).toEqual([true, []])
  })

  it("goes on if its caller leaves while a subscription is ended, so that no plan ends alone", async () => {
    const reached = Deferred.makeUnsafe<void>()
    const endSubscription = () => Effect.andThen(Deferred.succeed(reached, undefined), Effect.yieldNow)
    const leaves = Effect.gen(function* () {
      const erasing = yield* Effect.forkChild(UserService.use((users) => users.erase("ann")))
      yield* Deferred.await(reached)
      yield* Fiber.interrupt(erasing)
    })
    const { left } = await erased({ ...noPayments, endSubscription }, false, leaves)
    expect(Exit.isFailure(left) && Cause.squash(left.cause)).toMatchObject({ _tag: "UserNotFound" })
  })

  it("erases nothing while the provider does not answer", async () => {
    const down = new PaymentUnavailable({ operation: "endSubscription", cause: undefined })
    const { left, outcome } = await erased({ ...noPayments, endSubscription: () => Effect.fail(down) })
    expect(Exit.isFailure(outcome) && Cause.squash(outcome.cause)).toBe(down)
    expect(Exit.isSuccess(left)).toBe(true)
  })
})

const busy = Layer.succeed(PersonalData, {
  list: () => Effect.succeed({ rows: [], next: undefined }),
  begin: () => Effect.void,
  count: () => Effect.succeed({ chats: 0, documents: 0, transactions: 1 }),
  erase: () => Effect.succeed({ _tag: "AccountInUse" as const })
})

it("an account that came into use again after it was closed is not erased; it can be tried again", async () => {
  const layer = UserService.layer.pipe(
    Layer.provide([AccessList.layer, SecurityEvents.layer]),
    Layer.provide([busy, unsold, unconnected, onSale]),
    Layer.provide(inMemoryStorageLayer)
  )
  const exit = await Effect.runPromiseExit(
    Effect.provide(
      UserService.use((users) => users.erase("user-1")),
      layer
    )
  )
  expect(Exit.isFailure(exit) ? JSON.stringify(exit.cause) : "").toContain("StorageFailed")
})
