import { Effect } from "effect"
import fc from "fast-check"
import { expect, it } from "vitest"
import { PaymentInbox } from "../../billing/PaymentInbox.ts"
import type { ReceivedPaymentEvent } from "../../billing/provider/PaymentEvent.ts"
import { periodAt } from "../../credits/rules/period.ts"
import type { PersonLine } from "../../users/importing/PersonLine.ts"
import { atTime } from "../atTime.ts"
import { BillingWorld } from "../billing/billingWorld.ts"
import type { Run } from "../suiteOn.ts"
import {
  account,
  AS_OF,
  countsOf,
  DAY,
  differencesOf,
  HOUR,
  importing,
  newName,
  type Parts,
  START
} from "./userImportFixtures.ts"

/** Delivers events of the provider, which name only their customer and no person. */
const deliver = (events: ReadonlyArray<ReceivedPaymentEvent>, at: number) =>
  Effect.forEach(events, ({ payload }) => {
    const text = payload.replaceAll(/,"userId":"[^"]*"/g, "")
    const signed = { payload: new TextEncoder().encode(text), signature: undefined, receivedAt: 0 }
    return atTime(
      at,
      PaymentInbox.use((inbox) => inbox.receive(signed))
    )
  })

/** Imports a customer whose story continues after the import; the events contain no ids of people. */
const imported = Effect.fnUntraced(function* (
  world: BillingWorld,
  line: Omit<PersonLine, "user" | "stripeCustomer">,
  options?: Parameters<typeof importing>[1]
) {
  const name = world.customerId.slice("cus_".length)
  const before = world.events.length
  const report = yield* importing([{ ...line, user: `user-${name}`, stripeCustomer: world.customerId }], options)
  expect(countsOf(report)).toMatchObject({ created: 1 })
  return { userId: `user-${name}`, past: world.events.slice(0, before), later: () => world.events.slice(before) }
})

const buy = { _tag: "buy", payment: "now" } as const
const subscribe = { _tag: "subscribe", price: "price_pro" } as const

/** Tests payments before and after an import. */
export const definePayments = (run: Run<Parts>, runs: number): void => {
  it(
    "grants purchases after the import once, and those before it never, in any order and number",
    { timeout: 3_600_000 },
    () =>
      fc.assert(
        fc.asyncProperty(
          fc.nat(4),
          fc.nat(4),
          fc.array(fc.nat(1_000), { minLength: 24, maxLength: 24 }),
          fc.boolean(),
          (before, after, order, early) =>
            run(
              Effect.gen(function* () {
                const world = new BillingWorld(newName(), START)
                for (let n = 0; n < before; n += 1) world.act(buy, HOUR)
                // As long as their person is unknown, the events wait for their customer to be linked.
                if (early) yield* deliver(world.events, START + DAY)
                const { later, past, userId } = yield* imported(world, { topup: 50 })
                world.now = Math.max(world.now, AS_OF)
                for (let n = 0; n < after; n += 1) world.act(buy, HOUR)
                const all = [...past, ...later()]
                const shuffled = order.flatMap((place) => all[place % Math.max(1, all.length)] ?? [])
                yield* deliver([...shuffled, ...all.toReversed()], AS_OF + 5 * DAY)
                expect(yield* account(userId)).toMatchObject({ topup: 50 + 700 * after, allowance: 100 })
                expect(yield* differencesOf(new Set([userId]))).toEqual([])
              })
            )
        ),
        { numRuns: runs }
      )
  )

  it("takes the paid period of a subscription as part of the balance, and grants the next one", () =>
    run(
      Effect.gen(function* () {
        const world = new BillingWorld(newName(), START)
        world.act(subscribe, HOUR)
        const { later, past, userId } = yield* imported(world, { tier: "pro", allowance: 300 })
        expect(yield* account(userId)).toMatchObject({ renewedBy: "invoice" })
        yield* deliver(past, AS_OF + DAY)
        expect(yield* account(userId)).toMatchObject({ tier: "pro", allowance: 300, renewedBy: "invoice" })
        yield* deliver(past.toReversed(), AS_OF + 2 * DAY)
        expect(yield* account(userId)).toMatchObject({ tier: "pro", allowance: 300 })
        world.act({ _tag: "renew", nth: 0, isPaid: true }, DAY)
        yield* deliver([...later(), ...past], world.now)
        expect(yield* account(userId)).toMatchObject({ tier: "pro", allowance: 1_000, renewedBy: "invoice" })
        expect(yield* differencesOf(new Set([userId]))).toEqual([])
      })
    ))

  it("neither adds to the balance nor takes of it if the line's tier and allowance are not those of the paid plan", () =>
    run(
      Effect.gen(function* () {
        const anchor = START + HOUR
        const lines = [{ allowance: 40 }, { tier: "free" }, { tier: "pro", allowance: 5_000 }]
        for (const line of [...lines, ...lines.map((one) => ({ ...one, anchor }))]) {
          const world = new BillingWorld(newName(), START)
          world.act(subscribe, HOUR)
          const { past, userId } = yield* imported(world, line)
          yield* deliver(past, AS_OF + DAY)
          expect(yield* account(userId)).toMatchObject({ tier: "pro", allowance: line.allowance ?? 100 })
          expect(yield* differencesOf(new Set([userId]))).toEqual([])
        }
      })
    ))

  it("renews a plan by its invoice even if no earlier event is known", () =>
    run(
      Effect.gen(function* () {
        const world = new BillingWorld(newName(), START)
        world.act(subscribe, HOUR)
        const { later, userId } = yield* imported(world, { tier: "pro", allowance: 300 })
        world.act({ _tag: "renew", nth: 0, isPaid: true }, DAY)
        yield* deliver(later(), world.now)
        expect(yield* account(userId)).toMatchObject({ tier: "pro", allowance: 1_000, renewedBy: "invoice" })
      })
    ))

  it("grants a period that began before the import and is paid for after the moment of the balance", () =>
    run(
      Effect.gen(function* () {
        const anchor = START + HOUR
        const { end } = periodAt(anchor, anchor)
        for (const [asOf, at] of [
          [end - HOUR, end + 2 * HOUR],
          [end + HOUR / 2, end + HOUR / 2]
        ] as const) {
          const world = new BillingWorld(newName(), START)
          world.act(subscribe, HOUR)
          world.act({ _tag: "renew", nth: 0, isPaid: true }, HOUR)
          const { past, userId } = yield* imported(world, { tier: "pro", allowance: 3, anchor }, { asOf, at })
          yield* deliver([...past, ...past.toReversed()], end + DAY)
          expect(yield* account(userId)).toMatchObject({ tier: "pro", allowance: 1_000, periodStart: end })
          expect(yield* differencesOf(new Set([userId]))).toEqual([])
        }
      })
    ))

  it("grants what a dearer plan adds that is paid for after the import, in any order of the events", () =>
    run(
      Effect.gen(function* () {
        for (const reversed of [false, true]) {
          const world = new BillingWorld(newName(), START)
          world.act(subscribe, HOUR)
          const { later, past, userId } = yield* imported(world, { tier: "pro", allowance: 300 })
          world.now = Math.max(world.now, AS_OF)
          world.act({ _tag: "change", nth: 0, price: "price_business" }, HOUR)
          const all = [...past, ...later()]
          yield* deliver(reversed ? all.toReversed() : all, AS_OF + DAY)
          expect(yield* account(userId)).toMatchObject({ tier: "business", allowance: 4_300 })
          yield* deliver(all, AS_OF + 2 * DAY)
          expect(yield* account(userId)).toMatchObject({ tier: "business", allowance: 4_300 })
          expect(yield* differencesOf(new Set([userId]))).toEqual([])
        }
      })
    ))

  it("ends a plan from before the import even if its payments are not known", () =>
    run(
      Effect.gen(function* () {
        const world = new BillingWorld(newName(), START)
        world.act(subscribe, HOUR)
        const { later, userId } = yield* imported(world, { tier: "pro", allowance: 300, topup: 20 })
        world.now = Math.max(world.now, AS_OF)
        world.act({ _tag: "cancel", nth: 0 }, HOUR)
        yield* deliver(later(), AS_OF + DAY)
        expect(yield* account(userId)).toMatchObject({ tier: "free", allowance: 100, topup: 20, renewedBy: "schedule" })
      })
    ))

  it("leaves the imported plan as it is when events of a subscription arrive that had ended before the import", () =>
    run(
      Effect.gen(function* () {
        const world = new BillingWorld(newName(), START)
        world.act(subscribe, HOUR)
        world.act({ _tag: "cancel", nth: 0 }, HOUR)
        const { past, userId } = yield* imported(world, { tier: "pro", allowance: 300, topup: 20 })
        yield* deliver(past, AS_OF + DAY)
        expect(yield* account(userId)).toMatchObject({ tier: "pro", allowance: 300, topup: 20 })
        expect(yield* differencesOf(new Set([userId]))).toEqual([])
      })
    ))
}
