import { Context, Effect, Layer, Logger, Ref } from "effect"
import { CreditLedger, type CreditPorts } from "../../credits/CreditLedger.ts"
import { testedLedger } from "../credits/testedLedger.ts"
import fc from "fast-check"
import type { BillingStore } from "../../billing/BillingStore.ts"
import { PaymentEventStore } from "../../billing/inbox/PaymentEventStore.ts"
import { PaymentInbox } from "../../billing/PaymentInbox.ts"
import type { ReceivedPaymentEvent } from "../../billing/provider/PaymentEvent.ts"
import { availableOf } from "../../credits/Account.ts"
import { StorageFailed } from "../../storage/StorageFailed.ts"
import type { UnitOfWork } from "../../storage/UnitOfWork.ts"
import { Catalog, makeCatalog } from "../../tiers/Catalog.ts"
import { tierOf } from "../../tiers/CatalogData.ts"
import { atTime } from "../atTime.ts"
import { resetAll } from "../credits/resetAll.ts"
import type { BillingAct } from "./billingBooks.ts"
import { BillingWorld } from "./billingWorld.ts"
import { neutralProviderLayer } from "./neutralProvider.ts"
import { PLAN_PRICES, WORLD_CATALOG } from "./worldCatalog.ts"

/** The stores that billing needs. */
export type BillingStorage = BillingStore | PaymentEventStore | CreditPorts | UnitOfWork

/**
 * The point at which a delivery is broken off: before any write, between the credits and the event, or after both; or
 * when the answer is lost after everything was written at once.
 */
export const FAULTS = ["receive", "credits", "conclude", "answer"] as const
export type Fault = (typeof FAULTS)[number]

/** The next call that fails, once; undefined if none does. */
export class BillingFault extends Context.Service<BillingFault, Ref.Ref<Fault | undefined>>()(
  "@parley/core/testing/billing/BillingFault"
) {}

const failing = (fault: Ref.Ref<Fault | undefined>, name: Fault) =>
  Effect.flatMap(Ref.get(fault), (next) =>
    next === name
      ? Effect.andThen(
          Ref.set(fault, undefined),
          Effect.fail(new StorageFailed({ operation: name, retryable: false, cause: new Error("A test failed it.") }))
        )
      : Effect.void
  )

/** The stores, of which each call may be made to fail, the last call after its work. */
const faultyStorage = <E>(storage: Layer.Layer<BillingStorage, E>) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const fault = yield* Ref.make<Fault | undefined>(undefined)
      const store = yield* PaymentEventStore
      const ledger = yield* testedLedger
      const all = yield* Effect.context<BillingStorage>()
      return all.pipe(
        Context.add(BillingFault, fault),
        Context.add(
          PaymentEventStore,
          PaymentEventStore.of({
            ...store,
            // If one of the separate calls is to fail, the delivery must use the separate calls, and not the call that
            // applies everything at once.
            applyAtOnce: (payment) =>
              Effect.flatMap(Ref.get(fault), (next) => {
                if (next === undefined) return store.applyAtOnce(payment)
                if (next !== "answer") return Effect.succeed(undefined)
                return Effect.andThen(Ref.set(fault, undefined), Effect.as(store.applyAtOnce(payment), undefined))
              }),
            receive: (input) => Effect.andThen(failing(fault, "receive"), store.receive(input)),
            conclude: (input) => Effect.tap(store.conclude(input), failing(fault, "conclude"))
          })
        ),
        Context.add(
          CreditLedger,
          CreditLedger.of({
            ...ledger,
            run: (operation) => Effect.tap(ledger.run(operation), failing(fault, "credits")) as never
          })
        )
      )
    })
  ).pipe(Layer.provide(storage))

export const worldCatalog = makeCatalog(WORLD_CATALOG)

/** Waiting and refused events are part of the stories, so they are not logged. */
const silent = Logger.layer([])

/** The inbox over stores that may be made to fail, and over a gateway of neutral events. */
export const billingUnderTest = <E>(
  storage: Layer.Layer<BillingStorage, E>,
  events?: () => ReadonlyArray<ReceivedPaymentEvent>
) =>
  PaymentInbox.layer.pipe(
    Layer.provideMerge(
      Layer.mergeAll(faultyStorage(storage), Layer.succeed(Catalog, worldCatalog), neutralProviderLayer(events), silent)
    )
  )

export type BillingUnderTest = BillingFault | BillingStorage | CreditPorts | PaymentInbox

/** One delivery of an event: its time, and whether it is broken off and repeated. */
export interface Delivery {
  /** The position of the event in the story. */
  readonly index: number
  readonly at: number
  readonly fault?: Fault | undefined
}

const DAY = 86_400_000

export const STORY_START = Date.UTC(2027, 0, 31, 10)

const allowances = {
  free: tierOf(worldCatalog, "free").monthlyCredits,
  pro: tierOf(worldCatalog, "pro").monthlyCredits,
  business: tierOf(worldCatalog, "business").monthlyCredits
}

export const deliver = (event: ReceivedPaymentEvent) =>
  PaymentInbox.use((inbox) =>
    inbox.receive({ payload: new TextEncoder().encode(event.payload), signature: undefined, receivedAt: 0 })
  )

const resetDue = (asOf: number) =>
  Effect.flatMap(testedLedger, (ledger) => atTime(asOf, resetAll(ledger, { asOf, allowances })))

export interface PlayedStory {
  readonly name: string
  readonly world: BillingWorld
  readonly deliveries: ReadonlyArray<Delivery>
  /** The times at which the monthly job runs between deliveries. */
  readonly resets: ReadonlyArray<number>
  /** True if the account was opened before the first event. */
  readonly wasSeen: boolean
  /** True if all available credits are spent after every delivery. */
  readonly spends: boolean
}

/** Delivers the events of a story, with the monthly job between them; returns the final account. */
export const playStory = Effect.fnUntraced(function* ({
  deliveries,
  name,
  resets,
  spends,
  wasSeen,
  world
}: PlayedStory) {
  const userId = `user-${name}`
  const credits = yield* testedLedger
  const fault = yield* BillingFault
  let spent = 0
  if (wasSeen) yield* atTime(STORY_START, credits.open({ userId, tier: "free", allowance: allowances.free }))
  const steps = [
    ...deliveries.map((delivery) => ({ at: delivery.at, delivery })),
    ...resets.map((at) => ({ at, delivery: undefined }))
  ].toSorted((a, b) => a.at - b.at)
  for (const { at, delivery } of steps) {
    const event = delivery && world.events[delivery.index]
    if (event === undefined) yield* resetDue(at)
    else {
      if (delivery?.fault !== undefined) {
        yield* Ref.set(fault, delivery.fault)
        yield* Effect.result(atTime(at, deliver(event)))
        yield* Ref.set(fault, undefined)
      }
      yield* atTime(at, deliver(event))
    }
    if (spends) spent += yield* atTime(at, spendAll(userId, `${spent} ${at} ${event?.id ?? "reset"}`))
  }
  return { userId, spent }
})

/** Spends all credits of the account; returns the spent amount. */
const spendAll = Effect.fnUntraced(function* (userId: string, key: string) {
  const ledger = yield* testedLedger
  const account = yield* Effect.catchTag(ledger.account(userId), "AccountNotFound", () => Effect.succeed(undefined))
  const amount = account === undefined ? 0 : availableOf(account)
  if (amount === 0) return 0
  const credits = yield* testedLedger
  yield* credits.adjust({ userId, key: `spent:${key}`, amount: -amount, reason: "a test" })
  return amount
})

/** Returns the account after the monthly job has run at `at`, in the form in which the story describes it. */
export const accountAfter = Effect.fnUntraced(function* (userId: string, at: number) {
  yield* resetDue(at)
  const ledger = yield* testedLedger
  const { allowance, debt, nextResetAt, periodStart, renewedBy, tier, topup } = yield* ledger.account(userId)
  const { differences } = yield* ledger.verify({ limit: 1, after: undefined, userId })
  return { account: { tier, allowance, topup, periodStart, nextResetAt, renewedBy }, debt, differences }
})

const nth = fc.nat(3)
const prices = fc.constantFrom(...PLAN_PRICES)

const act: fc.Arbitrary<BillingAct> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .record({ price: prices, trialDays: fc.constantFrom(0, 0, 0, 14) })
      .map((fields) => ({ _tag: "subscribe", ...fields }) as const)
  },
  {
    weight: 4,
    arbitrary: fc
      .record({ nth, isPaid: fc.constantFrom(true, true, false) })
      .map((fields) => ({ _tag: "renew", ...fields }) as const)
  },
  { weight: 2, arbitrary: nth.map((which) => ({ _tag: "recover", nth: which }) as const) },
  {
    weight: 2,
    arbitrary: fc
      .record({ nth, price: prices, payment: fc.constantFrom("now" as const, "late" as const, "never" as const) })
      .map((fields) => ({ _tag: "change", ...fields }) as const)
  },
  { weight: 2, arbitrary: nth.map((which) => ({ _tag: "cancel", nth: which }) as const) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom("now" as const, "now" as const, "late" as const, "never" as const)
      .map((payment) => ({ _tag: "buy", payment }) as const)
  },
  {
    weight: 1,
    arbitrary: fc
      .record({ nth, part: fc.constantFrom(1, 300, 990) })
      .map((fields) => ({ _tag: "refund", ...fields }) as const)
  },
  {
    weight: 1,
    arbitrary: fc.record({ nth, isWon: fc.boolean() }).map((fields) => ({ _tag: "dispute", ...fields }) as const)
  },
  {
    weight: 1,
    arbitrary: fc
      .record({ nth, part: fc.constantFrom(1, 950, 1_900) })
      .map((fields) => ({ _tag: "refundPlan", ...fields }) as const)
  },
  {
    weight: 1,
    arbitrary: fc.record({ nth, isWon: fc.boolean() }).map((fields) => ({ _tag: "disputePlan", ...fields }) as const)
  }
)

/** A story, and the way in which its events are delivered: random orders, repetitions, breaks, and delays of days. */
export interface StoryPlan {
  readonly acts: ReadonlyArray<{ readonly act: BillingAct; readonly afterHours: number }>
  readonly delays: ReadonlyArray<{ readonly days: number; readonly twice: boolean; readonly fault: Fault | undefined }>
  readonly resets: ReadonlyArray<number>
  readonly spends: boolean
}

/** Generates stories with at most this many acts. */
export const storyPlans = (maxActs: number): fc.Arbitrary<StoryPlan> =>
  fc.record({
    acts: fc.array(fc.record({ act, afterHours: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 24 * 50 })) }), {
      minLength: 1,
      maxLength: maxActs,
      size: "max"
    }),
    delays: fc.array(
      fc.record({
        days: fc.constantFrom(0, 0, 0.01, 1, 3, 40, 100),
        twice: fc.integer({ min: 0, max: 4 }).map((number) => number === 0),
        fault: fc.constantFrom(undefined, undefined, undefined, ...FAULTS)
      }),
      { minLength: 12, maxLength: 12 }
    ),
    resets: fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 4 }),
    spends: fc.integer({ min: 0, max: 3 }).map((number) => number === 0)
  })

/** Plays the story of `plan`, and fails if the account differs from the expected one. */
export const checkStory = Effect.fnUntraced(function* (plan: StoryPlan) {
  const name = crypto.randomUUID()
  const world = new BillingWorld(name, STORY_START)
  for (const { act: next, afterHours } of plan.acts) world.act(next, afterHours * 3_600_000)
  const deliveries = world.events.flatMap(({ createdAt }, index): ReadonlyArray<Delivery> => {
    const { days, fault, twice } = plan.delays[index % plan.delays.length] ?? {
      days: 0,
      twice: false,
      fault: undefined
    }
    const at = createdAt + days * DAY
    const first = { index, at, fault }
    return twice ? [first, { index, at: at + 5 * DAY }] : [first]
  })
  const end = Math.max(world.now, ...deliveries.map(({ at }) => at)) + DAY
  const { spends } = plan
  const resets = plan.resets.map((days) => STORY_START + days * DAY).filter((at) => at < end)
  const { spent, userId } = yield* playStory({ name, world, deliveries, resets, spends, wasSeen: true })
  if (spends) {
    // The monthly job may grant a free month each time it runs.
    const most = world.mostEver(end) + allowances.free * resets.length
    const { account, debt, differences } = yield* accountAfter(userId, end)
    const given = spent + account.allowance + account.topup - debt
    if (given <= most + allowances.free && differences.length === 0) return
    const wrong = `${given} credits were given, and at most ${most} were paid for`
    return yield* Effect.die(new Error(`${wrong}; ${differences.length} differences.`))
  }
  const found = yield* accountAfter(userId, end)
  const expected = { account: world.expected(STORY_START, end), debt: 0, differences: [] }
  if (JSON.stringify(sorted(found)) === JSON.stringify(sorted(expected))) return
  return yield* Effect.die(
    new Error(
      [
        "The account is not as the story says.",
        ...deliveries
          .toSorted((a, b) => a.at - b.at)
          .map(
            ({ at, fault, index }) => `${new Date(at).toISOString()} ${fault ?? ""} ${summary(world.events[index])}`
          ),
        `Expected: ${JSON.stringify(sorted(expected))}`,
        `Found: ${JSON.stringify(sorted(found))}`
      ].join("\n")
    )
  )
})

const summary = (event: ReceivedPaymentEvent | undefined): string =>
  event === undefined
    ? ""
    : `${event.kind} of ${new Date(event.createdAt).toISOString()} ${JSON.stringify(event.event)}`

const sorted = ({
  account,
  debt,
  differences
}: {
  readonly account: object
  readonly debt: number
  readonly differences: ReadonlyArray<unknown>
}) => ({
  account: Object.entries(account).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  debt,
  differences
})
