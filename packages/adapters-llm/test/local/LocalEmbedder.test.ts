import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Result } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { makeLocalEmbedder } from "../../src/index.ts"

/**
 * A package with the interface of transformers.js: its embeddings are the lengths of texts, and it records its calls.
 */
const FAKE = `
export const env = { allowRemoteModels: true, allowLocalModels: false, localModelPath: "" }
const asked = (globalThis.askedOfFake ??= [])
export const pipeline = async (task, model, options) => {
  asked.push({ task, model, options, env: { ...env } })
  if (model === "absent/model") throw new Error("no such file")
  return async (texts, how) => {
    asked.push({ texts: [...texts], how })
    if (texts.some((text) => text.includes("broken"))) throw new Error("the model broke")
    return { tolist: () => texts.map((text) => (text.includes("short") ? [1] : [text.length, 1, 0])) }
  }
}
`

let folder = ""
const asked = () => (globalThis as { askedOfFake?: Array<Record<string, unknown>> }).askedOfFake ?? []

const install = () => {
  const home = join(folder, "node_modules/@huggingface/transformers")
  mkdirSync(home, { recursive: true })
  writeFileSync(
    join(home, "package.json"),
    JSON.stringify({ name: "@huggingface/transformers", type: "module", main: "index.js" })
  )
  writeFileSync(join(home, "index.js"), FAKE)
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "parley-local-"))
  asked().length = 0
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const embedder = (model = "some/model") =>
  makeLocalEmbedder({ installedIn: folder, models: "/models", model, dimensions: 3, limits: { textsPerRequest: 2 } })

describe("an embedder of a model on this machine", () => {
  it("loads the model once, only from the given folder, and returns the embeddings in order", async () => {
    install()
    const local = embedder()
    const results = await Effect.runPromise(local.embed(["a", "bb", "ccc"]))
    expect(results.map((result) => Result.isSuccess(result) && result.success)).toEqual([
      [1, 1, 0],
      [2, 1, 0],
      [3, 1, 0]
    ])
    await Effect.runPromise(local.embed(["dddd"]))
    const how = { pooling: "mean", normalize: true }
    expect(asked()).toEqual([
      {
        task: "feature-extraction",
        model: "some/model",
        options: { local_files_only: true },
        env: { allowRemoteModels: false, allowLocalModels: true, localModelPath: "/models" }
      },
      { texts: ["a", "bb"], how },
      { texts: ["ccc"], how },
      { texts: ["dddd"], how }
    ])
    expect(local.name).toBe("local/some/model")
  })

  it("fails as unavailable where the library or the model is not there, and works when it is", async () => {
    const local = embedder()
    const reasons = async (each = local) =>
      (await Effect.runPromise(each.embed(["a"]))).map((result) =>
        Result.isFailure(result) ? [result.failure.reason, result.failure.retryable] : "embedded"
      )
    expect(await reasons()).toEqual([["unavailable", true]])
    install()
    expect(await reasons()).toEqual(["embedded"])
    expect(await reasons(embedder("absent/model"))).toEqual([["unavailable", true]])
  })

  it("fails only for a text that breaks the model, or gets too few numbers", async () => {
    install()
    const results = await Effect.runPromise(embedder().embed(["a", "bb", "broken", "short"]))
    expect(results.map((result) => (Result.isFailure(result) ? result.failure.reason : "embedded"))).toEqual([
      "embedded",
      "embedded",
      "bad-answer",
      "bad-answer"
    ])
  })
})
