import { Effect } from "effect"
import { Tokenizer } from "../../../tokens/Tokenizer.ts"
import type { Passage } from "../../Document.ts"
import type { Embedder } from "../../embedding/Embedder.ts"
import { embeddedText, requestsOf } from "../../embedding/embedPassages.ts"
import { tokenBatches } from "../../embedding/embedBatches.ts"
import { PASSAGES_PER_BATCH, passagesOf } from "../indexDocument.ts"
import type { Outstanding, OutstandingDocument } from "./outstanding.ts"

/** The work of re-indexing a document. */
export interface DocumentEstimate {
  readonly passages: number
  /** The number of passages that need a new embedding if the text stays as it is stored. */
  readonly toEmbed: number
  /** The estimated number of tokens in these passages. */
  readonly tokens: number
  /** The number of requests for these passages. */
  readonly calls: number
  /** True if the bytes would be read again: the text, and all these numbers, may then differ. */
  readonly toRead: boolean
}

/** Estimates from the stored text and the existing embeddings; calls no provider and writes nothing. */
export const estimateDocument = Effect.fnUntraced(function* (
  { passages: index, wanted }: Outstanding,
  { document, indexing, key }: OutstandingDocument,
  embedder: Embedder["Service"] | undefined
) {
  const tokenizer = yield* Tokenizer
  const stored = yield* index.read(key)
  const toRead = stored === undefined || indexing?.parser !== wanted(document.type).parser
  const passages = stored === undefined ? [] : yield* passagesOf(stored)
  const asked = new Set<string>()
  let tokens = 0
  let calls = 0
  for (let from = 0; embedder !== undefined && from < passages.length; from += PASSAGES_PER_BATCH) {
    const batch: ReadonlyArray<Passage> = passages.slice(from, from + PASSAGES_PER_BATCH)
    const unknown = yield* index.unembedded(key.userId, batch)
    const texts = unknown.map(embeddedText).filter((text) => !asked.has(text))
    for (const request of requestsOf(embedder, texts)) calls += tokenBatches(request, embedder.limits, tokenizer).length
    for (const text of texts) {
      asked.add(text)
      tokens += tokenizer.count(text).estimate
    }
  }
  return { passages: passages.length, toEmbed: asked.size, tokens, calls, toRead } satisfies DocumentEstimate
})
