import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hasPostgres } from "../crash/CrashRig.ts"
import { payByLink } from "./payByLink.ts"
import { PlantedShop } from "./PlantedShop.ts"
import { shopConfig } from "./Shop.ts"

/** Catalog of a later day: the price of few credits buys another number of them. */
const CHANGED = { ...shopConfig, prices: { ...shopConfig.prices, price_credits_small: { topup: 55 } } }

interface Planting {
  readonly userId: string
  /** The kinds of difference that name it. */
  readonly kinds: ReadonlyArray<string>
  readonly plant: (userId: string) => Promise<unknown>
}

describe.runIf(hasPostgres)("parley credits verify --with-payments", () => {
  let shop: PlantedShop
  beforeAll(async () => {
    shop = await PlantedShop.open()
  })
  afterAll(() => shop[Symbol.asyncDispose]())

  const planting = (userId: string, kinds: ReadonlyArray<string>, plant: Planting["plant"]): Planting => ({
    userId,
    kinds,
    plant
  })
  const table = (name: string) => `${shop.rig.schema}.${name}`

  const lostEvents: ReadonlyArray<Planting> = [
    planting("a-charge-without-a-grant", ["not-granted"], (userId) => shop.unheard(() => shop.buys(userId))),
    planting("a-refund-that-is-not-applied", ["not-corrected"], async (userId) => {
      await shop.heard(() => shop.buys(userId))
      await shop.unheard(() => shop.provider.refund(shop.lastPayment, 495))
    }),
    planting("a-refund-of-a-plan-that-is-not-applied", ["not-corrected"], async (userId) => {
      await shop.heard(() => shop.subscribes(userId))
      await shop.unheard(() => shop.provider.refund(shop.lastPayment, 950))
    }),
    planting("a-dispute-that-is-not-applied", ["not-corrected"], async (userId) => {
      await shop.heard(() => shop.buys(userId))
      await shop.unheard(() => shop.provider.openDispute(shop.lastPayment))
    }),
    planting("a-dispute-of-a-plan-that-is-not-applied", ["not-corrected"], async (userId) => {
      await shop.heard(() => shop.subscribes(userId))
      await shop.unheard(() => shop.provider.openDispute(shop.lastPayment))
    }),
    planting("a-live-subscription-that-is-not-known", ["not-granted"], async (userId) => {
      await shop.heard(() => shop.buys(userId))
      await shop.unheard(() => shop.subscribes(userId))
    }),
    planting("a-plan-at-another-price", ["plan"], async (userId) => {
      await shop.heard(() => shop.subscribes(userId))
      const id = await shop.subscriptionOf(userId)
      await shop.unheard(() => shop.provider.changePlan(id, "price_business"))
    }),
    planting("a-plan-that-has-ended-at-the-provider", ["plan"], async (userId) => {
      await shop.heard(() => shop.subscribes(userId))
      const id = await shop.subscriptionOf(userId)
      await shop.unheard(() => shop.provider.cancel(id, "now"))
    })
  ]

  const changedHere: ReadonlyArray<Planting> = [
    planting("a-live-subscription-on-free", ["plan"], async (userId) => {
      await shop.heard(() => shop.subscribes(userId))
      await shop.parley("users", "tier", userId, "free", "--reason", "planted")
    }),
    planting("an-amount-that-differs", ["amount"], (userId) =>
      shop.heard(() => shop.buys(userId, "price_credits_small"))
    ),
    planting("a-grant-without-a-payment", ["not-paid"], async (userId) => {
      await shop.heard(() => shop.buys(userId))
      await shop.grantsWithoutPayment(userId)
    }),
    planting("a-plan-without-a-subscription", ["not-paid"], async (userId) => {
      await shop.heard(() => shop.subscribes(userId))
      await shop.tamper(`DELETE FROM ${table("billing_subscriptions")} WHERE user_id = '${userId}'`)
    }),
    planting("a-deleted-row", ["altered"], async (userId) => {
      await shop.heard(() => shop.buys(userId))
      await shop.tamper(`DELETE FROM ${table("billing_purchases")} WHERE user_id = '${userId}'`)
    }),
    planting("an-altered-row", ["altered"], async (userId) => {
      await shop.heard(() => shop.buys(userId))
      await shop.tamper(`UPDATE ${table("billing_purchases")} SET paid = 1 WHERE user_id = '${userId}'`)
    })
  ]

  const paidForNothing: ReadonlyArray<Planting> = [
    planting("an-unknown-price", ["not-granted"], async (userId) => {
      await shop.heard(() => shop.buys(userId))
      await shop.heard(() => shop.buys(userId, "price_credits_unknown"))
    }),
    planting("an-unknown-plan", ["not-granted"], (userId) =>
      shop.heard(() => shop.subscribes(userId, "price_plan_unknown"))
    ),
    planting("a-plan-twice", ["not-granted"], async (userId) => {
      await shop.heard(() => shop.buys(userId))
      await shop.heard(() => shop.paysByLink(userId, "price_pro", 2))
    }),
    planting("a-second-subscription", ["second-subscription"], async (userId) => {
      await shop.heard(() => shop.subscribes(userId))
      await shop.heard(() => shop.subscribes(userId, "price_business"))
    })
  ]

  /** Changes an object of the provider to a form that the server does not know. */
  const strange = (object: object | undefined, field: string) => {
    expect(object).toHaveProperty(field)
    Object.assign(object ?? {}, { [field]: "strange" })
  }
  const last = <A>(objects: Readonly<Record<string, A>>) => Object.values(objects).at(-1)

  const unreadable: ReadonlyArray<Planting> = [
    planting("an-unreadable-session", ["unreadable"], async (userId) => {
      await shop.heard(() => shop.buys(userId))
      strange(last(shop.rig.shop.state.sessions), "mode")
    }),
    planting("an-unreadable-charge", ["unreadable"], async (userId) => {
      await shop.heard(() => shop.buys(userId))
      strange(last(shop.rig.shop.state.payments), "amount")
    }),
    planting("an-unreadable-dispute", ["unreadable"], async (userId) => {
      await shop.heard(() => shop.buys(userId))
      await shop.heard(() => shop.provider.openDispute(shop.lastPayment))
      strange(last(shop.rig.shop.state.disputes), "amount")
    }),
    planting("an-unreadable-invoice", ["unreadable"], async (userId) => {
      await shop.heard(() => shop.subscribes(userId))
      strange(last(shop.rig.shop.state.invoices), "paid")
    }),
    planting("an-unreadable-subscription", ["unreadable"], async (userId) => {
      await shop.heard(() => shop.subscribes(userId))
      strange(last(shop.rig.shop.state.subscriptions), "status")
    })
  ]

  const plantings = [...lostEvents, ...changedHere, ...paidForNothing, ...unreadable]

  it("names each planted difference, and no other person", { timeout: 240_000 }, async () => {
    for (const userId of ["healthy-1", "healthy-2"]) {
      await shop.heard(() => shop.subscribes(userId))
      await shop.heard(() => shop.buys(userId))
    }
    for (const { plant, userId } of plantings) await plant(userId)
    await shop.heard(() => shop.buys("somebody-erased"))
    const customer = await shop.customerOf("somebody-erased")
    await shop.parley("users", "delete", "somebody-erased")
    await shop.heard(() => payByLink(shop.provider, customer, "price_credits"))
    await shop.unheard(() => payByLink(shop.provider, customer, "price_credits"))

    writeFileSync(join(shop.rig.command.folder, "catalog.json"), JSON.stringify(CHANGED))
    const { differences, exit, payments } = await shop.verify()
    expect([exit, differences]).toEqual([1, []])
    const kindsOf = (userId: string | undefined) =>
      payments.differences.filter((one) => one.userId === userId).map(({ kind }) => kind)
    const missed = plantings.filter(
      ({ kinds, userId }) => !kinds.every((kind) => kindsOf(userId).includes(kind as never))
    )
    expect(missed, JSON.stringify(payments.differences, undefined, 2)).toEqual([])
    const planted = new Set<string | undefined>(plantings.map(({ userId }) => userId))
    const others = payments.differences.filter(({ userId }) => !planted.has(userId))
    expect(others).toMatchObject([
      { kind: "not-granted", found: "it is paid, and its person was erased" },
      { kind: "not-granted", found: expect.stringContaining("to be refunded: its person was erased") }
    ])
  })
})
