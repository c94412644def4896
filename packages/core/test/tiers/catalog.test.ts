import { type CatalogData, defaultCatalog, makeCatalog } from "@parley/core"
import { InvalidCatalog } from "@parley/core/effect"
import { findModel } from "../../src/tiers/CatalogData.ts"
import { describe, expect, it } from "vitest"

const model = { vendor: "openai", vendorModel: "x", creditsPer1kInput: 1, creditsPer1kOutput: 1 }

const namesIn = ({ tiers }: CatalogData) => tiers.map(({ name }) => name)

describe("a catalog", () => {
  it.each(["llama-3.1:8b", "org/model@v1", "constructor"])("takes %j for a model's id", (id) => {
    expect(makeCatalog({ models: { [id]: model } }).models.at(-1)?.id).toBe(id)
  })

  it.each(["模型", "a b", "a\r\nset-cookie: x", "a\0b", "x".repeat(101)])(
    "refuses %j for a model's id: no header could name the model of a paid reply",
    (id) => {
      expect(() => makeCatalog({ models: { [id]: model } })).toThrow(InvalidCatalog)
    }
  )

  it("charges for a cache what fresh input costs, where its own prices are not given", () => {
    const added = makeCatalog({ models: { new: { ...model, creditsPer1kInput: 3 } } }).models.at(-1)
    expect(added).toMatchObject({ creditsPer1kCachedInput: 3, creditsPer1kCacheWrite: 3 })
    const repriced = makeCatalog({ models: { "model-a": { creditsPer1kInput: 3, creditsPer1kCacheWrite: 4 } } })
    expect(findModel(repriced, "model-a")).toMatchObject({ creditsPer1kCachedInput: 3, creditsPer1kCacheWrite: 4 })
    const longContext = { aboveInputTokens: 200_000, creditsPer1kInput: 6, creditsPer1kOutput: 9 }
    const long = makeCatalog({ models: { new: { ...model, longContext } } }).models.at(-1)
    expect(long?.longContext).toEqual({ ...longContext, creditsPer1kCachedInput: 6, creditsPer1kCacheWrite: 6 })
  })

  it("refuses rates by which a cached or a longer prompt could cost more than was held for it, naming each", () => {
    const longContext = {
      aboveInputTokens: 1,
      creditsPer1kInput: 2,
      creditsPer1kCachedInput: 3,
      creditsPer1kCacheWrite: 2,
      creditsPer1kOutput: 0.5
    }
    const priced = { ...model, creditsPer1kCachedInput: 1.5, longContext }
    const problems = [
      "models.new.creditsPer1kCachedInput: it may not exceed creditsPer1kInput",
      "models.new.longContext.creditsPer1kCachedInput: it may not exceed creditsPer1kInput",
      "models.new.longContext.creditsPer1kOutput: it may not be less than creditsPer1kOutput of the model"
    ]
    expect(() => makeCatalog({ models: { new: priced } })).toThrow(expect.objectContaining({ problems }))
  })

  it("adds tiers after those that ship, or has them in the order that is said, without those it leaves out", () => {
    const plus = { monthlyCredits: 300, models: ["model-a"] }
    expect(namesIn(makeCatalog({ tiers: { plus } }))).toEqual(["free", "pro", "business", "plus"])
    expect(namesIn(makeCatalog({ tiers: { plus }, tierOrder: ["free", "plus", "business"] }))).toEqual([
      "free",
      "plus",
      "business"
    ])
    expect(makeCatalog({ tiers: { plus } }).tiers.at(-1)).toMatchObject({ displayName: "plus", maxDocuments: 20 })
  })

  it("says what is wrong with tiers: their names, their order, what they lack and what prices buy", () => {
    const tier = { monthlyCredits: 1, models: ["model-a"] }
    const problems = (overrides: unknown) => {
      try {
        makeCatalog(overrides)
      } catch (error) {
        if (error instanceof InvalidCatalog) return error.problems
      }
      return []
    }
    expect(problems({ tiers: { "1st": tier } })).toEqual([expect.stringContaining("a letter first")])
    expect(problems({ tiers: { constructor: tier } })).toHaveLength(1)
    expect(problems({ tiers: { gold: {} } })).toEqual([
      "tiers.gold.monthlyCredits: a new tier needs it",
      "tiers.gold.models: a new tier needs it"
    ])
    expect(problems({ tiers: { gold: tier }, tierOrder: ["free", "lead", "free"] })).toEqual([
      'tierOrder: there is no tier "lead"',
      'tierOrder: "free" is there twice',
      'tierOrder: the tier "gold" is described and left out'
    ])
    expect(problems({ prices: { p: { tier: "gold" } } })).toEqual([
      'prices.p.tier: there is no tier "gold"; there are free, pro, business'
    ])
    expect(problems({ tiers: { gold: { ...tier, formerly: ["pro"] } } })).toHaveLength(1)
  })

  it("that replaces the shipped one has nothing of it but the limits of the widget", () => {
    const own = {
      replace: true,
      models: { "house-1": { ...model, vendor: "house" } },
      tiers: { trial: { monthlyCredits: 5, models: ["house-1"] }, team: { monthlyCredits: 50, models: ["house-1"] } },
      prices: { price_team: { tier: "team" } }
    }
    const catalog = makeCatalog(own)
    expect(namesIn(catalog)).toEqual(["trial", "team"])
    expect(catalog.models.map(({ id }) => id)).toEqual(["house-1"])
    expect(catalog).toMatchObject({ prices: own.prices, widget: defaultCatalog.widget })
    expect(() => makeCatalog({ replace: true })).toThrow("tiers: at least one is needed")
    const unknown = { ...own, tiers: { trial: { monthlyCredits: 5, models: ["model-a"] } }, prices: {} }
    expect(() => makeCatalog(unknown)).toThrow('there is no model "model-a"')
  })
})
