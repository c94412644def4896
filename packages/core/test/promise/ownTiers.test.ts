import { createParley, openInMemory } from "@parley/core"
import { ledgerOfStores } from "../../src/testing/credits/testedLedger.ts"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { modelsFrom, says, scriptedModel } from "../chat/world.ts"

const model = { vendor: "house", vendorModel: "large", creditsPer1kInput: 1, creditsPer1kOutput: 1 }
const own = {
  replace: true,
  models: { small: model, large: model },
  // The highest tier grants fewer credits than the one below: the order decides which is which, not the credits.
  tiers: {
    guest: { monthlyCredits: 40, models: ["small"] },
    reader: { monthlyCredits: 900, models: ["small"] },
    author: { monthlyCredits: 300, models: ["small", "large"] }
  },
  prices: { price_reader: { tier: "reader" }, price_author: { tier: "author" } }
}
const asks = (modelId: string) => ({ messages: [{ role: "user" as const, content: "Hello" }], modelId })

const opened = async (config: unknown, stores = openInMemory()) =>
  createParley({
    ...(await stores),
    models: modelsFrom(scriptedModel(() => says(["Hi"], { input: 1, output: 1 }))),
    config,
    work: false
  })

describe("tiers of one's own", () => {
  it("begin with the lowest, allow what they name, and are changed by name alone", async () => {
    const parley = await opened(own)
    expect(await parley.credits.balance("ann")).toMatchObject({ available: 40 })
    await expect(parley.chat.send("ann", asks("large"))).rejects.toMatchObject({
      code: "model_not_allowed",
      tier: "guest",
      allowedTiers: ["author"]
    })
    await parley.credits.changeTier({ userId: "ann", tier: "author", key: "1" })
    expect(await (await parley.chat.send("ann", asks("large"))).text()).toBe("Hi")
    await parley.credits.changeTier({ userId: "ann", tier: "guest", key: "2" })
    expect(await parley.credits.balance("ann")).toMatchObject({ available: 40 })
    await expect(parley.credits.changeTier({ userId: "ann", tier: "pro", key: "3" })).rejects.toMatchObject({
      code: "unknown_tier",
      message: 'There is no tier "pro". There are: guest, reader, author.'
    })
    await parley.close()
  })

  it("whose accounts the catalog does not know keep a process from starting, until it is said what they are now", async () => {
    const stores = openInMemory()
    const before = await opened(own, stores)
    for (const userId of ["ann", "bob"]) {
      await before.credits.balance(userId)
      await before.credits.changeTier({ userId, tier: "reader", key: "1" })
    }
    await before.close()
    const { reader: _gone, ...tiers } = own.tiers
    const without = { ...own, tiers, prices: {} }
    const refused: unknown = await opened(without, stores).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: "tiers_missing", missing: [{ tier: "reader", accounts: 2 }] })
    expect((refused as Error).message).toMatch(/2 accounts on "reader"; it has guest, author\. Put each back/)
    const renamed = { ...without, tiers: { ...tiers, author: { ...tiers.author, formerly: ["reader"] } } }
    const after = await opened(renamed, stores)
    expect(await (await after.chat.send("ann", asks("large"))).text()).toBe("Hi")
    expect((await after.models("ann")).tier).toBe("author")
    await after.close()
  })

  it("that are missing are looked for before any background work begins", async () => {
    const stores = await openInMemory()
    await Effect.runPromise(ledgerOfStores(stores).open({ userId: "bob", tier: "earlier", allowance: 500 }))
    const asked: Array<string> = []
    const noting = <Port extends object>(port: Port) =>
      new Proxy(port, {
        get: (target, name, receiver) => {
          const found: unknown = Reflect.get(target, name, receiver)
          if (typeof found !== "function") return found
          return (...given: ReadonlyArray<unknown>) => {
            asked.push(String(name))
            return Reflect.apply(found, target, given) as unknown
          }
        }
      })
    const [ledger, creditUpkeep] = [noting(stores.ledger), noting(stores.creditUpkeep)]
    const refused = createParley({ ...stores, ledger, creditUpkeep, config: own })
    await expect(refused).rejects.toMatchObject({ code: "tiers_missing" })
    expect(asked).toEqual(["missingTiers"])
  })

  it("that another process took out of the catalog meanwhile allow the rights of the lowest, and get no new credits", async () => {
    const stores = await openInMemory()
    const parley = await opened(own, Promise.resolve(stores))
    await parley.credits.balance("ann")
    await Effect.runPromise(ledgerOfStores(stores).open({ userId: "bob", tier: "earlier", allowance: 500 }))
    await expect(parley.chat.send("bob", asks("large"))).rejects.toMatchObject({ code: "model_not_allowed" })
    const { nextResetAt } = await parley.credits.balance("bob")
    const report = await parley.credits.reset({ asOf: nextResetAt, early: true })
    expect(report).toMatchObject({ resetCount: 1, busy: 1, tiers: { guest: { accounts: 1 } } })
    expect(await parley.credits.balance("bob")).toMatchObject({ available: 500 })
    await parley.close()
  })
})
