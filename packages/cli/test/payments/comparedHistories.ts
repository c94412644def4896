import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hasPostgres } from "../crash/CrashRig.ts"
import { ComparedShop } from "./ComparedShop.ts"
import { shopAct } from "./shopActs.ts"
import { ShopHistory } from "./ShopHistory.ts"
import { TAMPERINGS } from "./tamperings.ts"

export interface ComparedHistories {
  /** Random histories without a tampering. */
  readonly clean: number
  /** Random histories in each of which `each` tamperings are made, one at a time. */
  readonly tampered: number
  readonly each: number
}

const acts = (minLength: number) => fc.array(shopAct, { minLength, maxLength: 14, size: "max" })

/** Compares random histories with the provider, on real Postgres: as they were, and with one row or object changed. */
export const comparedHistoriesTest = ({ clean, each, tampered }: ComparedHistories): void => {
  describe.runIf(hasPostgres)("a shop whose events have all come", () => {
    let shop: ComparedShop
    beforeAll(async () => {
      shop = await ComparedShop.open()
    })
    afterAll(() => shop[Symbol.asyncDispose]())

    let histories = 0
    const begin = async () => {
      await shop.emptied()
      return new ShopHistory(shop, `history${histories++}`)
    }

    it("has no difference, after any events", { timeout: 3_600_000 }, () =>
      fc.assert(
        fc.asyncProperty(acts(1), async (all) => {
          const history = await begin()
          for (const act of all) await history.act(act)
          await shop.deliver()
          expect(await shop.differences()).toEqual([])
        }),
        { numRuns: clean }
      )
    )

    const places = fc.shuffledSubarray([...TAMPERINGS.keys()], { minLength: each, maxLength: each })
    it("has a difference once one row or one object is tampered with", { timeout: 3_600_000 }, () =>
      fc.assert(
        fc.asyncProperty(acts(6), fc.noBias(places), fc.noBias(fc.nat(1_000)), async (all, tamperings, pick) => {
          const history = await begin()
          // Reports of one second say nothing of their order: either may be the present state.
          for (const act of all) {
            await history.act(act)
            shop.provider.moveClock(shop.provider.now() + 60_000)
          }
          await shop.deliver()
          expect(await shop.differences()).toEqual([])
          const restore = await shop.saved()
          for (const place of tamperings) {
            const { name = "", tamper } = TAMPERINGS[place] ?? {}
            const changed = await tamper?.(shop, pick)
            if (changed === undefined) continue
            const found = await shop.differences()
            expect(found.length, `${name}: ${changed}`).toBeGreaterThan(0)
            await restore()
          }
        }),
        { numRuns: tampered, endOnFailure: true }
      )
    )
  })
}
