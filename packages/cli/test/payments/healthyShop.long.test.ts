import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hasPostgres } from "../crash/CrashRig.ts"
import { PlantedShop } from "./PlantedShop.ts"

const DAY_MS = 86_400_000

describe.runIf(hasPostgres)("parley credits verify --with-payments, if all events have come", () => {
  let shop: PlantedShop
  beforeAll(async () => {
    shop = await PlantedShop.open(90)
  })
  afterAll(() => shop[Symbol.asyncDispose]())

  const refunds = (amount?: number) => shop.heard(() => shop.provider.refund(shop.lastPayment, amount))
  const disputes = async (outcome: "won" | "lost") => {
    await shop.heard(() => shop.provider.openDispute(shop.lastPayment))
    const dispute = Object.keys(shop.rig.shop.state.disputes).at(-1) ?? ""
    await shop.heard(() => shop.provider.closeDispute(dispute, outcome))
  }
  const days = (count: number) => shop.heard(() => shop.provider.moveClock(shop.provider.now() + count * DAY_MS))

  const histories: Readonly<Record<string, (userId: string) => Promise<void>>> = {
    purchases: async (userId) => {
      await shop.heard(() => shop.buys(userId))
      await shop.heard(() => shop.buys(userId, "price_credits_small"))
    },
    "a plan and a pack, both refunded in parts": async (userId) => {
      await shop.heard(() => shop.subscribes(userId))
      await refunds(100)
      await refunds(300)
      await shop.heard(() => shop.buys(userId))
      await refunds(100)
    },
    "an upgrade, a downgrade and an end with the period": async (userId) => {
      await shop.heard(() => shop.subscribes(userId))
      const id = await shop.subscriptionOf(userId)
      await days(1)
      await shop.heard(() => shop.provider.changePlan(id, "price_business"))
      await days(1)
      await shop.heard(() => shop.provider.changePlan(id, "price_pro"))
      await shop.heard(() => shop.provider.cancel(id, "period-end"))
    },
    "a trial, switched to a dearer plan": async (userId) => {
      await shop.heard(() => shop.subscribes(userId, "price_pro", 7))
      const id = await shop.subscriptionOf(userId)
      await days(1)
      await shop.heard(() => shop.provider.changePlan(id, "price_business"))
    },
    "a yearly plan": (userId) => shop.heard(() => shop.subscribes(userId, "price_pro_year")),
    "a plan that is refunded and ended": async (userId) => {
      await shop.heard(() => shop.subscribes(userId))
      await refunds()
      const id = await shop.subscriptionOf(userId)
      await shop.heard(() => shop.provider.cancel(id, "now"))
    },
    "disputes of packs, won and lost": async (userId) => {
      await shop.heard(() => shop.buys(userId))
      await disputes("won")
      await shop.heard(() => shop.buys(userId))
      await disputes("lost")
    },
    "a dispute of a plan that is lost": async (userId) => {
      await shop.heard(() => shop.subscribes(userId))
      await disputes("lost")
    },
    "a debt": async (userId) => {
      await shop.heard(() => shop.buys(userId))
      await shop.parley("credits", "adjust", userId, "-800", "--reason", "spent")
      await refunds()
    },
    "a payment link": async (userId) => {
      await shop.heard(() => shop.buys(userId))
      await shop.heard(() => shop.paysByLink(userId, "price_credits", 3))
    },
    "money that an operator gave back": async (userId) => {
      await shop.heard(() => shop.buys(userId))
      await shop.parley("credits", "refund", userId, shop.lastPayment, "--reason", "by bank transfer")
    },
    "a pinned tier": async (userId) => {
      await shop.heard(() => shop.subscribes(userId))
      await shop.parley("users", "tier", userId, "business", "--pin", "--reason", "contract")
    },
    "an erased person": async (userId) => {
      await shop.heard(() => shop.subscribes(userId))
      await shop.heard(() => shop.buys(userId))
      await shop.heard(() => shop.parley("users", "delete", userId))
    },
    "a card that fails, and pays at last": async (userId) => {
      await shop.heard(() => shop.subscribes(userId))
      const id = await shop.subscriptionOf(userId)
      shop.provider.setCard(id, "fails")
      await days(32)
      shop.provider.setCard(id, "works")
      await days(4)
    },
    "a card that fails until the plan ends": async (userId) => {
      await shop.heard(() => shop.subscribes(userId))
      shop.provider.setCard(await shop.subscriptionOf(userId), "fails")
      await days(31)
      await days(9)
    }
  }

  it("prints no difference after any history", { timeout: 240_000 }, async () => {
    const { payments: empty } = await shop.verify(120)
    expect(empty.differences).toEqual([])
    const found: Array<object> = []
    for (const [name, happens] of Object.entries(histories)) {
      await happens(name.replaceAll(/[ ,]+/g, "-"))
      const { differences, payments } = await shop.verify(120)
      if (differences.length + payments.differences.length > 0) found.push({ name, differences, payments })
    }
    expect(found).toEqual([])
    const statuses = Object.values(shop.rig.shop.state.subscriptions).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set(["active", "canceled"]))
    expect((await shop.verify(120)).exit).toBe(0)
  })
})
