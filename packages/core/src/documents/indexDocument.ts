import { Effect } from "effect"
import { cutPassages } from "./cutPassages.ts"
import type { DocumentKey, Passage } from "./Document.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import type { ParsedDocument } from "./DocumentParser.ts"
import type { BegunGeneration, PassageIndex } from "./PassageIndex.ts"
import { pageBodySteps } from "./runningHeads.ts"
import { textFingerprint } from "./textFingerprint.ts"

/** Passages cut before other work has its turn: about a millisecond's work. */
const PASSAGES_PER_TURN = 20

/** Passages written at a time, so that neither memory nor a statement holds all of a long document's. */
const PASSAGES_PER_BATCH = 120

export interface IndexDocument {
  readonly document: DocumentKey
  readonly parsed: ParsedDocument
  /** No further try follows: where this one fails, nothing is kept for another. */
  readonly last: boolean
  /** Called after each batch with the end, in the text, of what is written. */
  readonly onProgress: (end: number) => Effect.Effect<unknown, StorageFailed>
}

/** The bodies of a document's pages, found in many turns. */
const bodiesOf = Effect.fnUntraced(function* (parsed: ParsedDocument) {
  const steps = pageBodySteps(parsed)
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value
    yield* Effect.yieldNow
  }
})

/**
 * Writes a document's passages into a new generation, batch by batch, without activating it; what an unfinished try of
 * the same text has written is kept. Gives the generation with the number of its passages.
 */
export const indexDocument = Effect.fnUntraced(function* (
  index: PassageIndex["Service"],
  { document, parsed, last, onProgress }: IndexDocument
) {
  const fingerprint = yield* textFingerprint(parsed)
  const begun = yield* index.begin({ ...document, parsed, fingerprint })
  let batch: Array<Passage> = []
  let passages = 0
  const write = Effect.suspend(() => {
    const written = batch
    batch = []
    const end = written.at(-1)?.end
    if (end === undefined) return Effect.void
    return Effect.andThen(index.add(begun, written), onProgress(end))
  })
  const writeAll = Effect.gen(function* () {
    for (const passage of cutPassages(parsed, yield* bodiesOf(parsed))) {
      passages++
      if (passages % PASSAGES_PER_TURN === 0) yield* Effect.yieldNow
      if (passage.ordinal < begun.passages) continue
      batch.push(passage)
      if (batch.length === PASSAGES_PER_BATCH) yield* write
    }
    yield* write
  })
  yield* Effect.onError(writeAll, () => (last ? Effect.ignore(index.abandon(begun)) : Effect.void))
  return { ...begun, passages } satisfies BegunGeneration
})
