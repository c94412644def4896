import { createParley, openInMemory, type Parley } from "@parley/core"
import { afterEach, beforeEach, describe, expect, it } from "vitest"

let parley: Parley
beforeEach(async () => {
  parley = await createParley({ ...(await openInMemory()), work: false })
})
afterEach(() => parley.close())

const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error
  )
const historyOf = (userId: string) => parley.credits.history({ userId, limit: 10, offset: 0, type: undefined })

describe("a person who has not signed in yet", () => {
  it("gets an account with the first grant, which the same key gives once", async () => {
    const given = await parley.credits.grant({ userId: "ann", amount: 500, key: "order-1" })
    expect(await parley.credits.grant({ userId: "ann", amount: 500, key: "order-1" })).toEqual(given)
    expect(await parley.credits.balance("ann")).toMatchObject({ allowance: 100, topup: 500, available: 600 })
    expect((await historyOf("ann")).transactions.map(({ type }) => type)).toEqual(["grant", "reset"])
  })

  it("gets one account from many first grants at once, and each grant", async () => {
    const grants = Array.from({ length: 20 }, (_, place) =>
      parley.credits.grant({ userId: "ann", amount: 1, key: `order-${place}` })
    )
    await Promise.all(grants)
    expect(await parley.credits.balance("ann")).toMatchObject({ allowance: 100, topup: 20 })
    expect((await parley.credits.verify()).differences).toEqual([])
  })

  it("gets an account on the tier that an operator chose", async () => {
    const changed = await parley.credits.changeTier({ userId: "ann", tier: "pro", key: "pilot" })
    expect(changed).toMatchObject({ type: "reset" })
    expect(await parley.credits.changeTier({ userId: "ann", tier: "pro", key: "pilot" })).toEqual(changed)
    const { tier } = await parley.models("ann")
    expect(tier).toBe("pro")
    expect((await parley.credits.verify()).differences).toEqual([])
  })

  it("gets no account from a refused grant or an unknown tier", async () => {
    expect(await rejection(parley.credits.changeTier({ userId: "ann", tier: "gold", key: "k" }))).toMatchObject({
      code: "unknown_tier"
    })
    expect(await rejection(parley.credits.grant({ userId: "ann", amount: -1, key: "k" }))).toMatchObject({
      code: "invalid_amount"
    })
    expect((await parley.credits.verify()).accounts).toBe(0)
  })

  it("has an empty history, which opens no account", async () => {
    expect(await historyOf("ann")).toEqual({ transactions: [], total: 0, next: undefined })
    expect((await parley.credits.verify()).accounts).toBe(0)
  })

  it("has no balance to correct: the refusal says how an account opens", async () => {
    const error = await rejection(parley.credits.adjust({ userId: "ann", amount: -5, key: "k", reason: "a test" }))
    expect(error).toMatchObject({ code: "account_not_found" })
    expect((error as Error).message).toContain("opens when the person signs in, or when credits are reserved for them")
    expect((await parley.credits.verify()).accounts).toBe(0)
  })
})
