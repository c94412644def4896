import { Effect, Layer } from "effect"
import { CreditUpkeep } from "@parley/core/adapter"
import { CreditRecords } from "../../src/credits/CreditLedger.ts"
import { testedLedger } from "../../src/testing/credits/testedLedger.ts"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { OperatorTiers } from "../../src/users/OperatorTiers.ts"
import { isLedgerKey } from "../../src/credits/ledgerKeys.ts"
import { allowancesOf } from "../../src/tiers/CatalogData.ts"
import type { BillingAct } from "../../src/testing/billing/billingBooks.ts"
import { billingUnderTest, deliver, STORY_START, worldCatalog } from "../../src/testing/billing/billingHistory.ts"
import { BillingWorld } from "../../src/testing/billing/billingWorld.ts"
import { atTime } from "../../src/testing/atTime.ts"
import { resetAll } from "../../src/testing/credits/resetAll.ts"
import { billingInMemory } from "../billing/stories.ts"

const HOUR = 3_600_000
const layer = OperatorTiers.layer.pipe(Layer.provideMerge(billingUnderTest(billingInMemory)))
type Services = Layer.Success<typeof layer>

class Story extends BillingWorld {
  readonly person: string
  private told = 0
  constructor(name: string = crypto.randomUUID()) {
    super(name, STORY_START)
    this.person = `user-${name}`
  }

  /** Does an act, and has the events that it makes applied. */
  readonly acts = (act: BillingAct, after = HOUR) =>
    Effect.suspend(() => {
      this.act(act, after)
      const events = this.events.slice(this.told)
      this.told = this.events.length
      return Effect.forEach(events, (event) => this.at(deliver(event)), { discard: true })
    })

  readonly at = <A, E, R>(work: Effect.Effect<A, E, R>) => atTime(this.now + HOUR, work)
  readonly pin = (tier: string) =>
    this.at(OperatorTiers.use((tiers) => tiers.set({ userId: this.person, tier, pin: true, period: "new" })))
  readonly set = (tier: string) =>
    this.at(OperatorTiers.use((tiers) => tiers.set({ userId: this.person, tier, pin: false, period: "new" })))
  readonly setNow = (tier: string) =>
    this.at(OperatorTiers.use((tiers) => tiers.set({ userId: this.person, tier, pin: false, period: "current" })))
  readonly unpin = Effect.suspend(() => this.at(OperatorTiers.use((tiers) => tiers.unpin(this.person))))
  readonly standing = Effect.suspend(() => this.at(OperatorTiers.use((tiers) => tiers.standing(this.person))))
  readonly account = Effect.suspend(() => CreditRecords.use((ledger) => ledger.account(this.person)))
  readonly spend = (amount: number) =>
    this.at(
      Effect.flatMap(testedLedger, (credits) =>
        credits.adjust({ userId: this.person, key: crypto.randomUUID(), amount: -amount, reason: "spent" })
      )
    )
  readonly resets = Effect.suspend(() => {
    const asOf = this.now + HOUR
    return CreditUpkeep.use((ledger) => this.at(resetAll(ledger, { asOf, allowances: allowancesOf(worldCatalog) })))
  })
  readonly open = Effect.suspend(() =>
    this.at(
      Effect.flatMap(testedLedger, (credits) => credits.open({ userId: this.person, tier: "free", allowance: 100 }))
    )
  )
}

/** Plays a story, after which the ledger is proven. */
const story = (play: (story: Story) => Effect.Effect<unknown, unknown, Services>) =>
  Effect.gen(function* () {
    const one = new Story()
    yield* one.open
    yield* play(one)
    const ledger = yield* testedLedger
    expect((yield* ledger.verify({ limit: 10, after: undefined })).differences).toEqual([])
  }).pipe(Effect.provide(layer), Effect.runPromise)

const PRO: BillingAct = { _tag: "subscribe", price: "price_pro" }
const RENEWED: BillingAct = { _tag: "renew", nth: 0, isPaid: true }
const CANCELLED: BillingAct = { _tag: "cancel", nth: 0 }

describe("a pinned tier", () => {
  it("is not changed by anything that billing reports, and is renewed by the monthly job", () =>
    story((one) =>
      Effect.gen(function* () {
        yield* one.acts(PRO)
        yield* one.pin("business")
        expect(yield* one.account).toMatchObject({ tier: "business", allowance: 5_000, renewedBy: "schedule" })
        yield* one.spend(400)
        yield* one.acts({ _tag: "change", nth: 0, price: "price_business" })
        yield* one.acts({ _tag: "change", nth: 0, price: "price_pro" })
        expect(yield* one.account).toMatchObject({ tier: "business", allowance: 4_600 })
        yield* one.acts(RENEWED)
        yield* one.resets
        expect(yield* one.account).toMatchObject({ tier: "business", allowance: 5_000 })
        yield* one.acts(CANCELLED)
        expect(yield* one.account).toMatchObject({ tier: "business", allowance: 5_000 })
        expect(yield* one.standing).toEqual({ tier: "business", pinned: true, paidTier: "free" })
      })
    ))

  it("leaves what is bought once, and its refunds, as they are", () =>
    story((one) =>
      Effect.gen(function* () {
        yield* one.pin("business")
        yield* one.acts({ _tag: "buy", payment: "now" })
        expect(yield* one.account).toMatchObject({ tier: "business", topup: 700 })
        yield* one.acts({ _tag: "refund", nth: 0, part: 990 })
        expect(yield* one.account).toMatchObject({ tier: "business", allowance: 5_000, topup: 0 })
      })
    ))

  it("stays pinned if an operator puts the person on another tier", () =>
    story((one) =>
      Effect.gen(function* () {
        yield* one.pin("business")
        yield* one.set("pro")
        yield* one.acts({ _tag: "subscribe", price: "price_business" })
        expect(yield* one.standing).toEqual({ tier: "pro", pinned: true, paidTier: "business" })
      })
    ))

  it("that was not pinned is changed by the next payment", () =>
    story((one) =>
      Effect.gen(function* () {
        yield* one.set("business")
        expect(yield* one.standing).toEqual({ tier: "business", pinned: false, paidTier: undefined })
        yield* one.acts(PRO)
        expect(yield* one.account).toMatchObject({ tier: "pro" })
      })
    ))

  it("is refused for a tier that the catalog has not, and for a person without an account, who is not pinned then", () =>
    story((one) =>
      Effect.gen(function* () {
        expect(yield* Effect.flip(one.pin("gold"))).toMatchObject({ _tag: "UnknownTier" })
        const nobody = new Story()
        expect(yield* Effect.flip(nobody.pin("pro"))).toMatchObject({ _tag: "AccountNotFound" })
        yield* nobody.open
        expect(yield* nobody.standing).toMatchObject({ pinned: false })
      })
    ))
})

describe("a tier that is unpinned", () => {
  it("is what is paid for, at once, with the period that was paid meanwhile", () =>
    story((one) =>
      Effect.gen(function* () {
        yield* one.pin("business")
        yield* one.acts(PRO)
        yield* one.unpin
        expect(yield* one.account).toMatchObject({ tier: "pro", allowance: 1_000, renewedBy: "invoice" })
        yield* one.spend(1_000)
        yield* one.acts(RENEWED)
        expect(yield* one.account).toMatchObject({ tier: "pro", allowance: 1_000 })
      })
    ))

  it("continues with the remaining credits of an earlier period, and grants none a second time", () =>
    story((one) =>
      Effect.gen(function* () {
        yield* one.acts(PRO)
        yield* one.spend(600)
        for (const tier of ["business", "free", "business"]) {
          yield* one.pin(tier)
          yield* one.unpin
          expect(yield* one.account).toMatchObject({ tier: "pro", allowance: 400 })
        }
        yield* one.pin("free")
        yield* one.pin("business")
        yield* one.spend(5_000)
        yield* one.unpin
        expect(yield* one.account).toMatchObject({ tier: "pro", allowance: 400, debt: 0 })
      })
    ))

  it("is the lowest if all that was paid for has ended, and stays for a person who never paid", () =>
    story((one) =>
      Effect.gen(function* () {
        yield* one.pin("business")
        yield* one.unpin
        expect(yield* one.account).toMatchObject({ tier: "business", allowance: 5_000 })
        yield* one.pin("business")
        yield* one.acts(PRO)
        yield* one.acts(CANCELLED)
        yield* one.unpin
        expect(yield* one.account).toMatchObject({ tier: "free", allowance: 100 })
      })
    ))

  const acts = fc.oneof(
    fc.constantFrom<BillingAct>(PRO, { _tag: "subscribe", price: "price_business" }),
    fc.constantFrom<BillingAct>(RENEWED, RENEWED, { _tag: "renew", nth: 0, isPaid: false }, CANCELLED),
    fc.constantFrom<BillingAct>(
      { _tag: "change", nth: 0, price: "price_business" },
      { _tag: "change", nth: 0, price: "price_pro" },
      { _tag: "recover", nth: 0 },
      { _tag: "refundPlan", nth: 0, part: 4 }
    )
  )
  const steps = fc.array(
    fc.oneof(
      { weight: 4, arbitrary: acts },
      { weight: 1, arbitrary: fc.constantFrom("pin business", "pin free", "unpin") }
    ),
    { minLength: 2, maxLength: 10 }
  )

  it("is in the end what it is without ever having been pinned, with no more credits; meanwhile nothing changed it", () =>
    fc.assert(
      fc.asyncProperty(steps, (played) =>
        Effect.gen(function* () {
          const [pinned, plain] = [new Story(), new Story()]
          yield* Effect.all([pinned.open, plain.open])
          let pin: string | undefined
          for (const step of played) {
            if (typeof step !== "string") {
              yield* pinned.acts(step, 30 * HOUR)
              yield* plain.acts(step, 30 * HOUR)
            } else if (step === "unpin") {
              yield* pinned.unpin
              pin = undefined
            } else {
              pin = step.split(" ")[1] ?? ""
              yield* pinned.pin(pin)
            }
            if (pin !== undefined) expect((yield* pinned.account).tier).toBe(pin)
          }
          yield* pinned.unpin
          const { paidTier } = yield* pinned.standing
          const [one, other] = [yield* pinned.account, yield* plain.account]
          if (paidTier === undefined) return
          const { allowance, anchor, periodStart, renewedBy, tier } = one
          expect({ anchor, periodStart, renewedBy, tier }).toEqual({
            anchor: other.anchor,
            periodStart: other.periodStart,
            renewedBy: other.renewedBy,
            tier: other.tier
          })
          expect(allowance - one.debt).toBeLessThanOrEqual(other.allowance - other.debt)
          const ledger = yield* testedLedger
          expect((yield* ledger.verify({ limit: 10, after: undefined })).differences).toEqual([])
        }).pipe(Effect.provide(layer), Effect.runPromise)
      ),
      { numRuns: 150 }
    ))
})

describe("a tier that a back end sets within the running period", () => {
  const TIERS = ["free", "pro", "business"]
  const creditsOf = (tier: string) => worldCatalog.tiers.find(({ name }) => name === tier)?.monthlyCredits ?? 0
  const steps = fc.array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...TIERS).map((tier) => ({ tier })) },
      { weight: 2, arbitrary: fc.integer({ min: 1, max: 3_000 }).map((spent) => ({ spent })) }
    ),
    { minLength: 1, maxLength: 12 }
  )

  it("grants no more in all than the highest of the tiers, and the higher tier's credits at once", () =>
    fc.assert(
      fc.asyncProperty(steps, (played) =>
        story((one) =>
          Effect.gen(function* () {
            let [highest, spent] = [creditsOf("free"), 0]
            const { nextResetAt } = yield* one.account
            for (const step of played) {
              if ("tier" in step) {
                yield* one.setNow(step.tier)
                highest = Math.max(highest, creditsOf(step.tier))
                expect((yield* one.account).tier).toBe(step.tier)
              } else {
                yield* one.spend(step.spent)
                spent += step.spent
              }
              const { allowance, debt, nextResetAt: still } = yield* one.account
              expect([allowance - debt, still]).toEqual([highest - spent, nextResetAt])
            }
          })
        )
      ),
      { numRuns: 50 }
    ))

  it("is renewed with the credits of the last tier, also for a pinned person", () =>
    story((one) =>
      Effect.gen(function* () {
        yield* one.setNow("business")
        yield* one.setNow("pro")
        one.now += 32 * 24 * HOUR
        yield* one.resets
        expect(yield* one.account).toMatchObject({ tier: "pro", allowance: creditsOf("pro") })
        yield* one.pin("pro")
        yield* one.setNow("business")
        yield* one.unpin
        expect(yield* one.account).toMatchObject({ tier: "business", allowance: creditsOf("business") })
      })
    ))
})

it("no key of a ledger's own events can be chosen for a grant", () =>
  story((one) =>
    Effect.gen(function* () {
      yield* one.acts(PRO)
      yield* one.acts(RENEWED)
      yield* one.acts({ _tag: "change", nth: 0, price: "price_business" })
      yield* one.acts({ _tag: "buy", payment: "now" })
      yield* one.acts({ _tag: "refund", nth: 0, part: 2 })
      yield* one.acts({ _tag: "refundPlan", nth: 0, part: 4 })
      yield* one.acts(CANCELLED)
      yield* one.pin("pro")
      yield* one.unpin
      yield* one.setNow("business")
      one.now += 32 * 24 * HOUR
      yield* one.resets
      const page = yield* CreditRecords.use((records) => records.history({ userId: one.person, limit: 100, offset: 0 }))
      const references = page.transactions.map(({ reference }) => reference)
      expect(references.length).toBeGreaterThan(6)
      expect(references.filter((reference) => !isLedgerKey(reference))).toEqual([])
    })
  ))
