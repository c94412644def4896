import { assert, describe, expect, it } from "@effect/vitest"
import { testedLedger } from "../../src/testing/credits/testedLedger.ts"
import { Effect, Layer, Logger, Stream } from "effect"
import { TestClock } from "effect/testing"
import { PaymentEventStore } from "../../src/billing/inbox/PaymentEventStore.ts"
import { PaymentUnavailable } from "../../src/billing/errors.ts"
import { noPayments } from "../../src/billing/provider/noPayments.ts"
import type { ReceivedPaymentEvent } from "../../src/billing/provider/PaymentEvent.ts"
import { paymentProviderLayer, type PaymentProvider } from "../../src/billing/provider/PaymentProvider.ts"
import { PaymentInbox } from "../../src/billing/PaymentInbox.ts"
import { PaymentCatchUp } from "../../src/billing/upkeep/PaymentCatchUp.ts"
import { BillingWorld } from "../../src/testing/billing/billingWorld.ts"
import { neutralProvider } from "../../src/testing/billing/neutralProvider.ts"
import { WORLD_CATALOG } from "../../src/testing/billing/worldCatalog.ts"
import { Catalog, makeCatalog } from "../../src/tiers/Catalog.ts"
import { billingInMemory } from "./stories.ts"

const START = Date.UTC(2027, 0, 10)
const HOUR = 3_600_000
const DAY = 24 * HOUR

/** A provider that lists the events of a story since a time, and can be out of order; it remembers since when it was asked. */
const provider = () => {
  const world = new BillingWorld("ann", START)
  const state = { world, isDown: false, asked: [] as Array<number> }
  const unavailable = new PaymentUnavailable({ operation: "events", cause: undefined })
  const paymentInvoice = () => (state.isDown ? Effect.fail(unavailable) : Effect.succeed(undefined))
  const events = ({ since }: { readonly since: number }): Stream.Stream<ReceivedPaymentEvent, PaymentUnavailable> => {
    state.asked.push(since)
    return state.isDown
      ? Stream.fail(unavailable)
      : Stream.fromIterable(world.events.filter(({ createdAt }) => createdAt >= since).toReversed())
  }
  return { state, gateway: { ...neutralProvider(), events, paymentInvoice } satisfies PaymentProvider }
}

const withPayments = (gateway: PaymentProvider) =>
  PaymentCatchUp.layer.pipe(
    Layer.provideMerge(PaymentInbox.layer),
    Layer.provideMerge(
      Layer.mergeAll(
        billingInMemory,
        paymentProviderLayer(gateway),
        Layer.succeed(Catalog, makeCatalog(WORLD_CATALOG)),
        Logger.layer([])
      )
    )
  )

const topup = Effect.flatMap(testedLedger, (ledger) =>
  Effect.map(
    Effect.catchTag(ledger.account("user-ann"), "AccountNotFound", () => Effect.succeed({ topup: 0 })),
    (account) => account.topup
  )
)

/** Lets all fibers continue until this number of purchases exists, without a passing of time. */
const bought = (credits: number) =>
  topup.pipe(
    Effect.tap((found) => (found === credits ? Effect.void : TestClock.adjust(0))),
    Effect.repeat({ until: (found) => found === credits, times: 1_000 }),
    Effect.map((found) => assert.strictEqual(found, credits))
  )

describe("catching up in the background", () => {
  it.effect("applies what never came, at once and then within the hour, from where it last did all", () => {
    const { gateway, state } = provider()
    const { world } = state
    world.act({ _tag: "buy", payment: "now" }, HOUR)
    return Effect.gen(function* () {
      yield* TestClock.setTime(world.now + DAY)
      const begun = world.now + DAY
      yield* Effect.forkChild(PaymentCatchUp.use(({ run }) => run))
      yield* bought(700)
      assert.deepStrictEqual(state.asked, [begun - 30 * DAY])

      world.act({ _tag: "buy", payment: "now" }, DAY)
      yield* TestClock.adjust("75 minutes")
      yield* bought(1_400)
      assert.deepStrictEqual(state.asked.slice(1), [begun - HOUR])
    }).pipe(Effect.provide(withPayments(gateway)))
  })

  it.effect("looks from the same moment again where the provider did not answer", () => {
    const { gateway, state } = provider()
    state.world.act({ _tag: "buy", payment: "now" }, HOUR)
    return Effect.gen(function* () {
      yield* TestClock.setTime(state.world.now + DAY)
      const { catchUp } = yield* PaymentCatchUp
      yield* catchUp
      state.isDown = true
      state.world.act({ _tag: "buy", payment: "now" }, DAY)
      yield* TestClock.adjust("3 hours")
      assert.strictEqual((yield* Effect.flip(catchUp))._tag, "PaymentUnavailable")
      state.isDown = false
      yield* TestClock.adjust("3 hours")
      yield* catchUp
      const [, failed, again] = state.asked
      assert.strictEqual(again, failed)
      assert.strictEqual(yield* topup, 1_400)
    }).pipe(Effect.provide(withPayments(gateway)))
  })

  it.effect("applies an event whose person became known while the provider did not answer, however old it is", () => {
    const { gateway, state } = provider()
    const { world } = state
    world.act({ _tag: "buy", payment: "now" }, HOUR)
    world.act({ _tag: "refund", nth: 0, part: 990 }, HOUR)
    const [purchase, refund] = world.events
    if (purchase === undefined || refund === undefined) return expect.unreachable("It was bought and refunded.")
    return Effect.gen(function* () {
      yield* TestClock.setTime(world.now)
      const { catchUp } = yield* PaymentCatchUp
      const inbox = yield* PaymentInbox
      assert.strictEqual((yield* inbox.accept(refund)).state, "waiting")
      state.isDown = true
      assert.strictEqual((yield* inbox.accept(purchase)).state, "applied")
      assert.strictEqual(yield* topup, 700)
      // By now the provider does not list it any more.
      yield* TestClock.adjust(40 * DAY)
      yield* Effect.flip(catchUp)
      state.isDown = false
      yield* catchUp
      assert.strictEqual(yield* topup, 0)
      const open = { state: "waiting", userId: undefined, limit: 10, after: undefined } as const
      assert.deepStrictEqual((yield* PaymentEventStore.use((store) => store.list(open))).rows, [])
    }).pipe(Effect.provide(withPayments(gateway)))
  })

  it.effect("does nothing where nothing is sold", () => {
    return Effect.gen(function* () {
      assert.strictEqual(yield* PaymentCatchUp.use(({ catchUp }) => catchUp), undefined)
    }).pipe(Effect.provide(withPayments(noPayments)))
  })
})
