import { Cause, Effect, Option } from "effect"
import type { ParsedDocument } from "../reading/DocumentParser.ts"
import { sha256 } from "../../secrets/sha256.ts"
import { cutPassages } from "./cutPassages.ts"
import type { DocumentKey, Passage } from "../Document.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import type { UnitOfWork } from "../../storage/UnitOfWork.ts"
import { EmbeddingFailed } from "../embedding/Embedder.ts"
import type { AddedPassages, Generation, GenerationGone, PassageWriter } from "./PassageWriter.ts"
import { pageBodySteps } from "./pageBreaks.ts"

/**
 * The version of indexing. Increase it with every change of the results of `cutPassages`, `passageWords` or the
 * stemming.
 */
export const INDEXING_VERSION = 7

/**
 * The fingerprint of the text, its pages, its headings and the version of indexing: an unfinished indexing is continued
 * only if the fingerprint is the same.
 */
export const textFingerprint = ({ headings = [], pageStarts, text }: ParsedDocument): Effect.Effect<string> =>
  sha256(
    new TextEncoder().encode(`${INDEXING_VERSION}\n${JSON.stringify(pageStarts)}\n${JSON.stringify(headings)}\n${text}`)
  )

/** The number of passages that are cut before other work may run: about a millisecond of work. */
const PASSAGES_PER_TURN = 20

/**
 * The number of passages that are written together, so that no statement contains all of a long document and none takes
 * long.
 */
export const PASSAGES_PER_BATCH = 120

/** The number of passages written so far, and of their embeddings. */
export interface IndexedSoFar extends AddedPassages {
  /** The number of passages written, including those of an earlier try; `of` is the number of all passages. */
  readonly passages: number
  readonly of: number
}

export interface IndexDocument {
  readonly document: DocumentKey
  readonly parsed: ParsedDocument
  /** The version of the parser that read the document. */
  readonly parser?: string | undefined
  /** True for the job's last try. If this try fails, only embeddings are kept until the job is retried. */
  readonly last: boolean
  /** Called before the first batch and after each batch. */
  readonly onProgress: (soFar: IndexedSoFar) => Effect.Effect<unknown, StorageFailed>
}

/** A generation that contains all its passages. */
export interface FilledGeneration extends Generation, IndexedSoFar {}

const isEmbeddingFailed = (cause: Cause.Cause<unknown>): boolean =>
  Option.exists(Cause.findErrorOption(cause), (error) => error instanceof EmbeddingFailed)

/** Finds the bodies of a document's pages, in many steps between which other work may run. */
const bodiesOf = Effect.fnUntraced(function* (parsed: ParsedDocument) {
  const steps = pageBodySteps(parsed)
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value
    yield* Effect.yieldNow
  }
})

/**
 * Cuts a text into passages, in many steps between which other work may run. The texts of the passages share the memory
 * of the whole text.
 */
export const passagesOf = Effect.fnUntraced(function* (parsed: ParsedDocument) {
  const passages: Array<Passage> = []
  for (const passage of cutPassages(parsed, yield* bodiesOf(parsed))) {
    if (passages.push(passage) % PASSAGES_PER_TURN === 0) yield* Effect.yieldNow
  }
  return passages
})

/** Writes passages into a new generation, batch by batch, without activating it. */
const fillGeneration = Effect.fnUntraced(function* (
  writer: PassageWriter["Service"],
  { document, parsed, parser, last, onProgress }: IndexDocument,
  all: ReadonlyArray<Passage>
) {
  const fingerprint = yield* textFingerprint(parsed)
  const begun = yield* writer.begin({ ...document, parsed, fingerprint, parser })
  const writeAll = Effect.gen(function* () {
    let soFar: IndexedSoFar = { passages: Math.min(begun.passages, all.length), of: all.length, asked: 0, reused: 0 }
    yield* onProgress(soFar)
    while (soFar.passages < all.length) {
      const batch = all.slice(soFar.passages, soFar.passages + PASSAGES_PER_BATCH)
      const { asked, reused } = yield* writer.add(begun, batch)
      const passages = soFar.passages + batch.length
      soFar = { ...soFar, passages, asked: soFar.asked + asked, reused: soFar.reused + reused }
      yield* onProgress(soFar)
    }
    return soFar
  })
  const filled = yield* Effect.onError(writeAll, (cause) =>
    last && !isEmbeddingFailed(cause) ? Effect.ignore(writer.abandon(begun)) : Effect.void
  )
  const { userId, documentId, generation } = begun
  return { userId, documentId, generation, ...filled } satisfies FilledGeneration
})

/**
 * Writes a document's passages into a new generation, batch by batch, without activating it; continues an unfinished
 * try of the same text. Returns the generation and the number of its passages.
 */
export const indexDocument = Effect.fnUntraced(function* (writer: PassageWriter["Service"], input: IndexDocument) {
  return yield* fillGeneration(writer, input, yield* passagesOf(input.parsed))
})

export interface SwitchDocument extends IndexDocument {
  /** Runs in the transaction that activates the generation, with the number of its passages. */
  readonly finish: (passages: number) => Effect.Effect<unknown, StorageFailed>
}

/**
 * Indexes a document and switches searches to the new generation: a short document (as most are) in one transaction, a
 * long document batch by batch, followed by the switch. One transaction for a long document would take seconds, during
 * which an embedded database serves no other request.
 */
export const switchDocument = Effect.fnUntraced(function* (
  { unitOfWork, writer }: { readonly writer: PassageWriter["Service"]; readonly unitOfWork: UnitOfWork["Service"] },
  input: SwitchDocument
): Effect.fn.Return<IndexedSoFar, EmbeddingFailed | GenerationGone | StorageFailed> {
  const { document, finish, onProgress, parsed, parser } = input
  const all = yield* passagesOf(parsed)
  const of = all.length
  if (of <= PASSAGES_PER_BATCH) {
    yield* onProgress({ passages: 0, of, asked: 0, reused: 0 })
    const fingerprint = yield* textFingerprint(parsed)
    const put = yield* writer.put({ ...document, parsed, fingerprint, parser, passages: all }, finish(of))
    if (put !== undefined) {
      const done = { passages: of, of, ...put }
      yield* onProgress(done)
      return done
    }
  }
  const filled = yield* fillGeneration(writer, input, all)
  yield* unitOfWork.run(document.userId, Effect.andThen(writer.activate(filled), finish(of)))
  const { asked, passages, reused } = filled
  return { passages, of, asked, reused }
})
