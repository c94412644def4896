import { Effect } from "effect"
import { type Embedder, EmbeddingFailed } from "../../documents/embedding/Embedder.ts"
import { embedBatches } from "../../documents/embedding/embedBatches.ts"

/** Words with the same or nearly the same meaning: each line is a dimension of its own. */
const MEANINGS: ReadonlyArray<ReadonlyArray<string>> = [
  ["car", "automobile", "vehicle", "auto"],
  ["lift", "wing", "wings", "slats", "buoyancy"],
  ["house", "home", "wohnung", "dwelling"],
  ["invoice", "bill", "payment"]
]

/** The requests to the scripted embedder, and settings of its behaviour. */
export interface EmbedderScript {
  readonly asked: Array<string>
  /** If set, every request with a text that contains this text fails. */
  failing: string | undefined
  /** The `weight` of the embedder. */
  weight: number | undefined
}

export const makeEmbedderScript = (): EmbedderScript => ({ asked: [], failing: undefined, weight: undefined })

const vectorOf = (text: string): ReadonlyArray<number> => {
  const words = new Set(text.toLowerCase().split(/[^\p{L}]+/u))
  // All texts have a little in common, as with real models.
  return [...MEANINGS.map((meaning) => meaning.filter((word) => words.has(word)).length), 0.05]
}

/**
 * An embedder that knows a few meanings: texts about the same subject are near each other even without a common word.
 * It refuses a text that contains "unwanted".
 */
export const scriptedEmbedder = (script: EmbedderScript, name = "scripted/meanings"): Embedder["Service"] => {
  const dimensions = MEANINGS.length + 1
  const limits = { textsPerRequest: 8, tokensPerRequest: 10_000, tokensPerText: 1_000, concurrency: 2 }
  const fail = (reason: "refused" | "unavailable") =>
    Effect.fail(new EmbeddingFailed({ reason, retryable: reason === "unavailable" }))
  const request = (texts: ReadonlyArray<string>) =>
    Effect.suspend(() => {
      const { failing } = script
      if (texts.some((text) => text.includes("unwanted"))) return fail("refused")
      if (failing !== undefined && texts.some((text) => text.includes(failing))) return fail("unavailable")
      script.asked.push(...texts)
      return Effect.succeed(texts.map(vectorOf))
    })
  return {
    name,
    dimensions,
    limits,
    get weight() {
      return script.weight
    },
    embed: (texts) => embedBatches({ limits, dimensions, request }, texts)
  }
}
