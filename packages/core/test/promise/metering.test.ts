import { createParley, openInMemory, type Parley } from "@parley/core"
import { InvalidWork } from "@parley/core/effect"
import { describe, expect, it } from "vitest"
import { modelsFrom, plainParser, says, scriptedModel } from "../chat/world.ts"

const withParley = async (use: (parley: Parley) => Promise<void>) => {
  const models = modelsFrom(scriptedModel(() => says(["Hello"], { input: 1, output: 1 })))
  const parley = await createParley({ ...(await openInMemory()), models, parser: plainParser })
  try {
    await use(parley)
  } finally {
    await parley.close()
  }
}

const bound = { userId: "ann", key: "order-7", amount: 25, source: "meter:images" } as const
const lines = [{ label: "image", quantity: 2, unitPrice: 4 }]
const never = () => Promise.reject(new Error("The work is done."))

describe("metering any work, with promises", () => {
  it("charges what work reports, once for its key, and gives its first result again", () =>
    withParley(async ({ credits }) => {
      const paid = await credits.meter(bound, async ({ held }) => {
        expect(await credits.balance("ann")).toMatchObject({ available: 75, held })
        return { lines, result: { url: "/image.png" } }
      })
      expect(paid).toMatchObject({
        result: { url: "/image.png" },
        uncovered: 0,
        replayed: false,
        receipt: { charged: 8, held: 25 }
      })
      expect(await credits.meter(bound, never)).toEqual({ ...paid, replayed: true })
      expect(await credits.balance("ann")).toMatchObject({ available: 92, held: 0 })
    }))

  it("charges no more than was held, and names what that did not cover", () =>
    withParley(async ({ credits }) => {
      const dear = [{ label: "image", quantity: 1, unitPrice: 27.5 }]
      const paid = await credits.meter(bound, () => Promise.resolve({ lines: dear }))
      expect(paid).toMatchObject({ uncovered: 3, receipt: { charged: 25, held: 25 } })
      expect(await credits.meter(bound, never)).toEqual({ ...paid, replayed: true })
      await credits.reserve({ ...bound, key: "order-8" })
      const settled = credits.settle({ userId: "ann", key: "order-8" }, { lines: dear })
      expect(await settled).toMatchObject({ _tag: "Settled", uncovered: 3, receipt: { charged: 25 } })
      expect(await credits.balance("ann")).toMatchObject({ available: 50, held: 0, debt: 0 })
    }))

  it("takes JSON as a result, and the compiler refuses anything else", () =>
    withParley(async ({ credits }) => {
      interface Image {
        readonly url: string
        readonly alt?: string
        readonly sizes: ReadonlyArray<{ readonly width: number } | null>
      }
      const image: Image = { url: "/image.png", sizes: [{ width: 1 }, null] }
      const first = await credits.meter(bound, () => Promise.resolve({ lines, result: image }))
      const again = await credits.meter<Image>(bound, never)
      expect([first.result?.url, again.result]).toEqual(["/image.png", image])
      const small = { ...bound, amount: 1 }
      const refused = [
        // @ts-expect-error A replay could only give its text.
        credits.meter({ ...small, key: "a" }, () => Promise.resolve({ lines, result: new Date() })),
        // @ts-expect-error The same, inside an object.
        credits.meter({ ...small, key: "b" }, () => Promise.resolve({ lines, result: { at: new Date() } })),
        // @ts-expect-error JSON has no such number.
        credits.meter({ ...small, key: "c" }, () => Promise.resolve({ lines, result: 10n })),
        // @ts-expect-error Nothing is known of it.
        credits.meter({ ...small, key: "d" }, () => Promise.resolve({ lines, result: new Set<unknown>() as unknown }))
      ]
      for (const each of refused) await expect(each).rejects.toMatchObject({ code: "invalid_work" })
      expect(await credits.balance("ann")).toMatchObject({ available: 92, held: 0 })
    }))

  it("rejects with what the work did, costs nothing then, and tries again under the same key", () =>
    withParley(async ({ credits }) => {
      const fault = new TypeError("no paint")
      const failing = () => Promise.reject(fault)
      await expect(credits.meter(bound, failing)).rejects.toBe(fault)
      expect(await credits.balance("ann")).toMatchObject({ available: 100, held: 0 })
      expect(await credits.meter(bound, () => Promise.resolve({ lines }))).toMatchObject({ replayed: false })
    }))

  it("tells a worker at once that a line makes no sense", () =>
    withParley(async ({ credits }) => {
      const work = credits.meter(bound, ({ record }) => {
        expect(() => record([{ label: "", quantity: 1, unitPrice: 1 }])).toThrow(InvalidWork)
        return Promise.resolve({ lines: [{ label: "image", quantity: -1, unitPrice: 1 }] })
      })
      await expect(work).rejects.toMatchObject({ _tag: "InvalidWork", code: "invalid_work" })
      expect(await credits.balance("ann")).toMatchObject({ available: 100, held: 0 })
    }))

  it("ends with the reason of an aborted signal, or where Parley is closed, and costs nothing", async () => {
    await withParley(async ({ credits }) => {
      const leaving = new AbortController()
      const work = credits.meter(
        bound,
        ({ signal }) =>
          new Promise<never>((_, reject) => {
            signal.addEventListener("abort", () => reject(new Error("painted in vain")))
            leaving.abort(new Error("left"))
          }),
        { signal: leaving.signal }
      )
      await expect(work).rejects.toThrow("left")
      expect(await credits.balance("ann")).toMatchObject({ available: 100, held: 0 })
    })
    let told: AbortSignal | undefined
    let work: Promise<unknown> | undefined
    await withParley(
      ({ credits }) =>
        new Promise((begun) => {
          work = credits
            .meter(bound, ({ signal }) => {
              told = signal
              begun()
              return new Promise<never>(() => undefined)
            })
            .catch((error: unknown) => error)
        })
    )
    expect(told?.aborted).toBe(true)
    expect(await work).toMatchObject({ code: "parley_closed" })
  })

  it("does by hand what it does around work, and what operators do", () =>
    withParley(async ({ credits }) => {
      expect(await credits.reserve(bound)).toMatchObject({ held: 25, state: "open", replayed: false })
      await credits.renew(bound, lines)
      expect(await credits.settle(bound, { lines })).toMatchObject({ _tag: "Settled", receipt: { charged: 8 } })
      await expect(credits.release({ userId: "ann", key: "none" })).rejects.toMatchObject({ _tag: "HoldNotFound" })
      await credits.grant({ userId: "ann", amount: 10, key: "gift-1" })
      await credits.adjust({ userId: "ann", amount: -2, key: "fix-1", reason: "counted twice" })
      const raised = await credits.changeTier({ userId: "ann", tier: "pro", key: "deal-1" })
      expect(await credits.changeTier({ userId: "ann", tier: "pro", key: "deal-1" })).toEqual(raised)
      const other = credits.changeTier({ userId: "ann", tier: "business", key: "deal-1" })
      await expect(other).rejects.toMatchObject({ _tag: "KeyConflict" })
      expect(await credits.balance("ann")).toMatchObject({ topup: 8 })
      const refund = { userId: "ann", charge: "ch_1", granted: 5, paid: 500, refunded: 100, reportedAt: Date.now() }
      await expect(credits.refund(refund)).rejects.toMatchObject({ _tag: "PurchaseNotFound" })
      expect(await credits.reset()).toMatchObject({ resetCount: 0 })
      expect(await credits.verify()).toEqual({ accounts: 1, differences: [] })
      const { transactions } = await credits.history({ userId: "ann", limit: 50, offset: 0, type: "usage" })
      expect(transactions[0]?.receipt).toMatchObject({ lines, source: "meter:images" })
    }))
})
