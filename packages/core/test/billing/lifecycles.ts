import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import {
  accountAfter,
  billingUnderTest,
  type Delivery,
  FAULTS,
  playStory,
  STORY_START
} from "../../src/testing/billing/billingHistory.ts"
import type { BillingAct } from "../../src/testing/billing/billingBooks.ts"
import { BillingWorld } from "../../src/testing/billing/billingWorld.ts"
import { ordersOf } from "./ordersOf.ts"
import { billingInMemory } from "./stories.ts"

export const DAY = 24
export const SUBSCRIBE: BillingAct = { _tag: "subscribe", price: "price_pro" }
const RENEW: BillingAct = { _tag: "renew", nth: 0, isPaid: true }
const CANCEL: BillingAct = { _tag: "cancel", nth: 0 }

/** Acts, each this number of hours after the previous one; `skip` leaves out events of the story that others repeat. */
interface Lifecycle {
  readonly acts: ReadonlyArray<readonly [BillingAct, number]>
  readonly kinds?: ReadonlyArray<string>
}

const DECISIVE = ["invoice.paid", "checkout.session.completed", "customer.subscription.deleted"]

/** Lifecycles whose events, at most six, are delivered in every order there is. */
const lifecycles: Readonly<Record<string, Lifecycle>> = {
  "an upgrade that is renewed": {
    acts: [
      [SUBSCRIBE, 1],
      [RENEW, 1]
    ]
  },
  "a year of renewals from a 31st": {
    acts: [[SUBSCRIBE, 1], ...Array.from({ length: 12 }, (): readonly [BillingAct, number] => [RENEW, 1])],
    kinds: ["invoice.paid"]
  },
  "a change to a dearer plan and back": {
    acts: [
      [SUBSCRIBE, 1],
      [{ _tag: "change", nth: 0, price: "price_business" }, 3 * DAY],
      [{ _tag: "change", nth: 0, price: "price_pro" }, 3 * DAY]
    ],
    kinds: ["invoice.paid", "customer.subscription.updated"]
  },
  "a change to a dearer plan that is never paid for, and back": {
    acts: [
      [SUBSCRIBE, 1],
      [{ _tag: "change", nth: 0, price: "price_business", payment: "never" }, 3 * DAY],
      [{ _tag: "change", nth: 0, price: "price_pro" }, 3 * DAY]
    ],
    kinds: ["invoice.paid", "customer.subscription.updated"]
  },
  "a trial that is changed to a dearer plan, and paid for then": {
    acts: [
      [{ ...SUBSCRIBE, trialDays: 14 }, 1],
      [{ _tag: "change", nth: 0, price: "price_business" }, 3 * DAY],
      [RENEW, 1]
    ],
    kinds: ["invoice.paid", "customer.subscription.updated"]
  },
  "a renewal that failed and was paid then": {
    acts: [
      [SUBSCRIBE, 1],
      [{ ...RENEW, isPaid: false }, 1],
      [{ _tag: "recover", nth: 0 }, 3 * DAY]
    ],
    kinds: ["invoice.paid", "customer.subscription.updated"]
  },
  "a cancellation": {
    acts: [
      [SUBSCRIBE, 1],
      [RENEW, 1],
      [CANCEL, 5 * DAY]
    ],
    kinds: DECISIVE
  },
  "a cancellation and another subscription": {
    acts: [
      [SUBSCRIBE, 1],
      [CANCEL, 5 * DAY],
      [{ _tag: "subscribe", price: "price_business" }, DAY]
    ],
    kinds: DECISIVE
  },
  "two subscriptions of one customer, the dearer of which ends": {
    acts: [
      [SUBSCRIBE, 1],
      [{ _tag: "subscribe", price: "price_business" }, DAY],
      [{ _tag: "cancel", nth: 1 }, DAY]
    ],
    kinds: DECISIVE
  },
  "a trial that is paid for then": {
    acts: [
      [{ ...SUBSCRIBE, trialDays: 14 }, 1],
      [RENEW, 1]
    ]
  },
  "a year paid at once": { acts: [[{ _tag: "subscribe", price: "price_pro_year" }, 1]] },
  "a purchase that is refunded in parts": {
    acts: [
      [{ _tag: "buy", payment: "late" }, 1],
      [{ _tag: "refund", nth: 0, part: 300 }, DAY],
      [{ _tag: "refund", nth: 0, part: 1 }, DAY]
    ]
  },
  "a plan whose payment is refunded in parts, and a dearer one": {
    acts: [
      [SUBSCRIBE, 1],
      [{ _tag: "refundPlan", nth: 0, part: 950 }, DAY],
      [{ _tag: "change", nth: 0, price: "price_business" }, DAY],
      [{ _tag: "refundPlan", nth: 0, part: 1 }, DAY]
    ],
    kinds: ["invoice.paid", "customer.subscription.updated", "charge.refunded"]
  },
  "a plan whose payment is refunded, and that ends": {
    acts: [
      [SUBSCRIBE, 1],
      [{ _tag: "refundPlan", nth: 0, part: 1_900 }, DAY],
      [CANCEL, DAY]
    ],
    kinds: [...DECISIVE, "charge.refunded"]
  },
  "a plan whose payment is refunded, and that is renewed": {
    acts: [
      [SUBSCRIBE, 1],
      [{ _tag: "refundPlan", nth: 0, part: 1_900 }, DAY],
      [RENEW, 1],
      [{ _tag: "refundPlan", nth: 0, part: 950 }, DAY]
    ],
    kinds: ["invoice.paid", "charge.refunded"]
  },
  "a plan whose payment is disputed, and that dispute won": {
    acts: [
      [SUBSCRIBE, 1],
      [{ _tag: "disputePlan", nth: 0, isWon: true }, DAY]
    ],
    kinds: [
      "invoice.paid",
      "checkout.session.completed",
      "charge.dispute.funds_withdrawn",
      "charge.dispute.funds_reinstated"
    ]
  },
  "a plan whose payment is disputed after a refund, and that dispute lost": {
    acts: [
      [SUBSCRIBE, 1],
      [{ _tag: "refundPlan", nth: 0, part: 950 }, DAY],
      [{ _tag: "disputePlan", nth: 0, isWon: false }, DAY]
    ],
    kinds: ["invoice.paid", "checkout.session.completed", "charge.refunded", "charge.dispute.funds_withdrawn"]
  },
  "a dispute that is won": {
    acts: [
      [{ _tag: "buy", payment: "now" }, 1],
      [{ _tag: "dispute", nth: 0, isWon: true }, DAY]
    ]
  },
  "a dispute that is lost after a refund": {
    acts: [
      [{ _tag: "buy", payment: "now" }, 1],
      [{ _tag: "refund", nth: 0, part: 300 }, DAY],
      [{ _tag: "dispute", nth: 0, isWon: false }, DAY]
    ]
  }
}

export const MONTH_MS = 31 * 86_400_000

/**
 * Every order; one event of each comes twice, and one breaks off first: which, and where, follows from the order's
 * number.
 */
const deliveriesOf = (indices: ReadonlyArray<number>, from: number) =>
  ordersOf(indices).map((order, number): ReadonlyArray<Delivery> => {
    const places = order.map((index, place) => ({ index, at: from + place * 1_000 }))
    const twice = order[number % order.length] as number
    const broken = (number * 7) % order.length
    return [
      ...places.map((one, place) => (place === broken ? { ...one, fault: FAULTS[number % FAULTS.length] } : one)),
      { index: twice, at: from + order.length * 1_000 }
    ]
  })

/** Plays every lifecycle in every `nth` order. */
export const lifecycleOrders = (nth: number): void => {
  describe(`a lifecycle, delivered in every ${nth === 1 ? "" : `${nth}th `}order, with an event that comes twice and one that breaks off`, () => {
    for (const [title, { acts, kinds }] of Object.entries(lifecycles)) {
      it(`ends the same: ${title}`, async () => {
        const tell = (name: string) => {
          const world = new BillingWorld(name, STORY_START)
          for (const [act, hours] of acts) world.act(act, hours * 3_600_000)
          return world
        }
        const first = tell("first")
        const chosen = [...first.events.keys()].filter(
          (index) => kinds?.includes(first.events[index]?.kind ?? "") ?? true
        )
        // Of longer stories the last six; the earlier ones were delivered in order.
        const early = chosen.slice(0, -6)
        const late = chosen.slice(-6)
        expect(late.length).toBeGreaterThan(0)
        const end = first.now + 2 * MONTH_MS
        const all = deliveriesOf(late, first.now + MONTH_MS)
        // Of short stories all.
        const orders = all.length < 24 ? all : all.filter((_, number) => number % nth === 0)
        const found = new Set<string>()
        await Effect.runPromise(
          Effect.forEach(
            orders,
            (order, number) => {
              const name = `${number}`
              const world = tell(name)
              const before = early.map((index) => ({ index, at: world.events[index]?.createdAt ?? 0 }))
              return Effect.gen(function* () {
                const { userId } = yield* playStory({
                  name,
                  world,
                  deliveries: [...before, ...order],
                  resets: [first.now, first.now + MONTH_MS + 2_500],
                  wasSeen: true,
                  spends: false
                })
                const { account, debt, differences } = yield* accountAfter(userId, end)
                expect({ account, debt, differences }).toEqual({
                  account: world.expected(STORY_START, end),
                  debt: 0,
                  differences: []
                })
                found.add(JSON.stringify(account))
              }).pipe(Effect.provide(billingUnderTest(billingInMemory), { local: true }))
            },
            { discard: true }
          )
        )
        expect(found.size).toBe(1)
      })
    }
  })
}
