import { InvalidCatalog, makeCatalog } from "@parley/core"
import { findModel } from "../../src/tiers/Catalog.ts"
import { describe, expect, it } from "vitest"

const model = { vendor: "openai", vendorModel: "x", creditsPer1kInput: 1, creditsPer1kOutput: 1 }

describe("a catalog", () => {
  it.each(["llama-3.1:8b", "org/model@v1", "constructor"])("takes %j for a model's id", (id) => {
    expect(makeCatalog({ models: { [id]: model } }).models.at(-1)?.id).toBe(id)
  })

  it.each(["模型", "a b", "a\r\nset-cookie: x", "a\0b", "x".repeat(101)])(
    "refuses %j for a model's id: no header could tell who answered a reply that is paid",
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
})
