import { makeCatalog } from "@parley/core"
import { expect, it } from "vitest"
import { saleCatalog, standInPrices } from "../../src/payments/standInSale.ts"

it.each([
  ["the plans that ship", {}],
  ["plans of few credits", { tiers: { pro: { monthlyCredits: 40 }, business: { monthlyCredits: 100 } } }],
  ["a plan without credits", { tiers: { pro: { monthlyCredits: 0 } } }]
])("a credit that is bought alone costs more than one of a plan, but not many times as much: %s", (_what, config) => {
  const catalog = saleCatalog(makeCatalog(config))
  const perCredit = (kind: "tier" | "topup") =>
    standInPrices(catalog).flatMap(({ amount, every, id }) => {
      const buys = catalog.prices[id]
      if (buys === undefined || !(kind in buys) || every?.unit === "year") return []
      const credits =
        "topup" in buys ? buys.topup : (catalog.tiers.find(({ name }) => name === buys.tier)?.monthlyCredits ?? 0)
      return credits === 0 ? [] : [amount / credits]
    })
  const [dearestPlan, cheapestPack] = [Math.max(...perCredit("tier")), Math.min(...perCredit("topup"))]
  expect(cheapestPack).toBeGreaterThan(dearestPlan)
  expect(cheapestPack).toBeLessThan(2 * dearestPlan)
})

it("sells small packs and round amounts by default", () => {
  const names = standInPrices(saleCatalog(makeCatalog())).filter(({ every }) => every === undefined)
  expect(names.map(({ amount, name }) => [name, amount])).toEqual([
    ["1,000 credits", 500],
    ["5,000 credits", 2_500]
  ])
})
