import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Buckets, availableOf, freeOf, splitGrant, takeFrom } from "../../src/credits/Account.ts"

const credits = fc.nat(1_000)
const splits = fc.record({ allowance: credits, topup: credits })
const buckets: fc.Arbitrary<Buckets> = fc
  .record({ heldAllowance: credits, heldTopup: credits, freeAllowance: credits, freeTopup: credits, debt: credits })
  .map(({ heldAllowance, heldTopup, freeAllowance, freeTopup, debt }) => ({
    allowance: heldAllowance + freeAllowance,
    topup: heldTopup + freeTopup,
    debt,
    heldAllowance,
    heldTopup
  }))
const total = (split: { readonly allowance: number; readonly topup: number }) => split.allowance + split.topup

describe("splits over the buckets", () => {
  it("set a hold aside whole, from what is free, the allowance first", () => {
    fc.assert(
      fc.property(buckets, fc.nat(4_000), (account, wanted) => {
        const amount = Math.min(wanted, availableOf(account))
        const free = freeOf(account)
        const split = takeFrom(freeOf(account), amount)
        expect(total(split)).toBe(amount)
        expect(split.allowance).toBeLessThanOrEqual(free.allowance)
        expect(split.topup).toBeLessThanOrEqual(free.topup)
        if (split.topup > 0) expect(split.allowance).toBe(free.allowance)
      })
    )
  })

  it("take an amount from the allowance first, whole where there is as much", () => {
    fc.assert(
      fc.property(splits, fc.nat(5_000), (source, amount) => {
        const taken = takeFrom(source, amount)
        expect(total(taken)).toBe(Math.min(amount, total(source)))
        expect(taken.allowance).toBe(Math.min(amount, source.allowance))
        expect(taken.topup).toBeLessThanOrEqual(source.topup)
      })
    )
  })

  it("put every new credit either against the debt or into the bucket, the debt first", () => {
    fc.assert(
      fc.property(buckets, fc.nat(4_000), (account, amount) => {
        const { repaid, added } = splitGrant(account, amount)
        expect(repaid + added).toBe(amount)
        expect(repaid).toBeLessThanOrEqual(account.debt)
        if (added > 0) expect(repaid).toBe(account.debt)
      })
    )
  })
})
