import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { type Embedder, type EmbeddingResult, FUSION, type PassageIndex } from "@parley/core/adapter"
import { Effect } from "effect"
import type { Collection } from "./collection.ts"
import type { IndexedCollection } from "./indexCollection.ts"
import { meanOf } from "./measures.ts"
import { askQuery, type QueryFigures } from "./searchCollection.ts"

/**
 * The quality of one weight, measured with the questions of each half: the gain by documents, or the recall of spans if
 * the collection has spans.
 */
export interface WeightFigures {
  readonly weight: number
  readonly odd: number | undefined
  readonly even: number | undefined
}

/**
 * The weights that are tried: zero (words only), the default, higher ones, and one that is so high that words decide
 * nothing.
 */
const WORDS_ALONE = 0
const MEANING_ALONE = 1_000_000
const WEIGHTS = [WORDS_ALONE, FUSION.weight / 2, FUSION.weight, 0.07, 0.1, 0.2, 0.4, 1, MEANING_ALONE]

/** An embedder whose weight can be changed; it requests the embedding of each text only once. */
export interface WeighedEmbedder {
  readonly embedder: Embedder["Service"]
  setWeight(weight: number): void
}

/** Loads the embedder that is the default export of a module. Throws if there is none. */
export const loadEmbedder = async (file: string): Promise<WeighedEmbedder> => {
  const { default: given } = (await import(pathToFileURL(resolve(file)).href)) as {
    readonly default?: Embedder["Service"]
  }
  if (given === undefined) throw new Error(`${file} exports no embedder by default.`)
  let weight: number | undefined = given.weight
  const known = new Map<string, EmbeddingResult>()
  const embed = (texts: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const unknown = [...new Set(texts.filter((text) => !known.has(text)))]
      const results = unknown.length === 0 ? [] : yield* given.embed(unknown)
      for (const [place, text] of unknown.entries()) {
        const result = results[place]
        if (result !== undefined) known.set(text, result)
      }
      return texts.flatMap((text) => known.get(text) ?? [])
    })
  const embedder: Embedder["Service"] = {
    name: given.name,
    dimensions: given.dimensions,
    limits: given.limits,
    relevantFrom: given.relevantFrom,
    get weight() {
      return weight
    },
    embed
  }
  return { embedder, setWeight: (next) => (weight = next) }
}

const measureOf = ({ ndcg, overAll, within }: QueryFigures): number | undefined =>
  within.at5Bounded === undefined || overAll.at5Bounded === undefined
    ? ndcg
    : (within.at5Bounded + overAll.at5Bounded) / 2

/** Searches with all queries, with each weight. */
export const weighEmbedder = Effect.fnUntraced(function* (
  collection: Collection,
  indexed: IndexedCollection,
  { setWeight }: WeighedEmbedder,
  progress: (weight: number) => void
): Effect.fn.Return<ReadonlyArray<WeightFigures>, unknown, PassageIndex> {
  const figures: Array<WeightFigures> = []
  for (const weight of WEIGHTS) {
    progress(weight)
    setWeight(weight)
    const measured: Array<number | undefined> = []
    for (const query of collection.queries) measured.push(measureOf(yield* askQuery(collection, indexed, query)))
    const half = (rest: number) => meanOf(measured.filter((_, place) => place % 2 === rest))
    figures.push({ weight, odd: half(0), even: half(1) })
  }
  return figures
})

const shown = (value: number | undefined) => value?.toFixed(4) ?? "-"

/**
 * Returns a line for each weight. The last line names the weight that is best for the odd-numbered questions, with its
 * result for the even-numbered questions, with which the weight was not chosen.
 */
export const weightLines = (figures: ReadonlyArray<WeightFigures>): ReadonlyArray<readonly [string, string]> => {
  const best = figures
    .filter(({ weight }) => weight !== MEANING_ALONE)
    .reduce((one, other) => ((other.odd ?? 0) > (one.odd ?? 0) ? other : one))
  const nameOf = (weight: number) =>
    weight === WORDS_ALONE ? "words alone" : weight === MEANING_ALONE ? "meaning alone" : `weight ${weight}`
  return [
    ...figures.map(
      ({ even, odd, weight }) => [`${nameOf(weight)}: odd half / even half`, `${shown(odd)} / ${shown(even)}`] as const
    ),
    ["best on the odd half, with what it has on the other", `${nameOf(best.weight)}, ${shown(best.even)}`]
  ]
}
