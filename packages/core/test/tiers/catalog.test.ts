import { InvalidCatalog, makeCatalog } from "@parley/core"
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
})
