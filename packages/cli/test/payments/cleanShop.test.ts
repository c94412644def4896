import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hasPostgres } from "../crash/CrashRig.ts"
import { ComparedShop } from "./ComparedShop.ts"
import { shopAct } from "./shopActs.ts"
import { ShopHistory } from "./ShopHistory.ts"

describe.runIf(hasPostgres)("a shop whose events have all come", () => {
  let shop: ComparedShop
  beforeAll(async () => {
    shop = await ComparedShop.open()
  })
  afterAll(() => shop[Symbol.asyncDispose]())

  it("has no difference after any history", { timeout: 600_000 }, async () => {
    let histories = 0
    await fc.assert(
      fc.asyncProperty(fc.array(shopAct, { minLength: 1, maxLength: 12, size: "max" }), async (acts) => {
        await shop.emptied()
        const history = new ShopHistory(shop, `history${histories++}`)
        for (const act of acts) await history.act(act)
        await shop.deliver()
        expect(await shop.differences()).toEqual([])
      }),
      { numRuns: 25 }
    )
  })
})
