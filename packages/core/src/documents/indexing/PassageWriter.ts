import { Context, type Effect, Schema } from "effect"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import type { DocumentKey, Passage } from "../Document.ts"
import type { EmbeddingFailed } from "../embedding/Embedder.ts"
import type { ParsedDocument } from "../reading/DocumentParser.ts"

/** One indexing of one document. The generations of a document have different numbers. */
export interface Generation extends DocumentKey {
  readonly generation: number
}

/** A generation under construction. */
export interface BegunGeneration extends Generation {
  /** The number of passages that an earlier, unfinished try added. */
  readonly passages: number
}

export interface BeginGeneration extends DocumentKey {
  /** The document's text, which is stored with the generation. */
  readonly parsed: ParsedDocument
  /**
   * Identifies the text and the version of its cutting: an unfinished generation is continued only if both are the
   * same.
   */
  readonly fingerprint: string
  /** The version of the parser that read the text; undefined if the parser has no versions. */
  readonly parser?: string | undefined
}

/** A document with all its passages. */
export interface PutDocument extends BeginGeneration {
  readonly passages: ReadonlyArray<Passage>
}

/** The numbers of embeddings of added passages. */
export interface AddedPassages {
  /** The number of passages whose embedding was requested from the embedder. */
  readonly asked: number
  /**
   * The number of passages whose embedding the index had already: from this or an earlier try, or from an equal passage
   * of the same owner.
   */
  readonly reused: number
}

export const NOTHING_EMBEDDED: AddedPassages = { asked: 0, reused: 0 }

/** The generation no longer exists: its document was deleted, or a later indexing took its place. */
export class GenerationGone extends Schema.TaggedError<GenerationGone>()("GenerationGone", {
  documentId: Schema.String
}) {
  readonly code = "generation_gone"
  override get message() {
    return `The document ${this.documentId} was deleted or is being re-indexed; this indexing of it has ended.`
  }
}

/**
 * Puts documents into the `PassageIndex`. A document is indexed as a new generation: begun, filled batch by batch, then
 * activated. At most one generation of a document is active, and only that one is searched.
 */
export class PassageWriter extends Context.Service<
  PassageWriter,
  {
    /**
     * Begins a generation and stores its text, or continues the unfinished generation with the same fingerprint and
     * embedder. An unfinished generation with another fingerprint is deleted: of two concurrent indexings, the one that
     * began last remains.
     */
    begin(input: BeginGeneration): Effect.Effect<BegunGeneration, GenerationGone | StorageFailed>
    /**
     * Adds passages whose ordinals continue those of the generation. Passages that the index already has are skipped,
     * so that a batch may be repeated. A gap is a defect. A batch contains up to a few hundred passages. If there is an
     * embedder, each embedding is stored as soon as it arrives, and before its passage. An embedding that an equal
     * passage of the same owner has by the same model is not requested again.
     */
    add(
      generation: Generation,
      passages: ReadonlyArray<Passage>
    ): Effect.Effect<AddedPassages, EmbeddingFailed | GenerationGone | StorageFailed>
    /**
     * Makes the generation active, so that searches use it, and deletes earlier generations, all in one step. Safe to
     * repeat.
     */
    activate(generation: Generation): Effect.Effect<void, GenerationGone | StorageFailed>
    /**
     * Does `begin`, `add`, `activate` and `also` in one transaction, for a document of at most one batch of passages.
     * The embeddings are requested before the transaction, and stored with the passages. Returns undefined if one
     * transaction is not possible: the embedder needs several requests, or some embeddings exist. Then the active
     * generation stays, `also` does not run, and embeddings that were paid for are kept for the next `begin`.
     */
    put<E = never>(
      document: PutDocument,
      also?: Effect.Effect<unknown, E>
    ): Effect.Effect<AddedPassages | undefined, E | EmbeddingFailed | GenerationGone | StorageFailed>
    /** Deletes the generation unless it is active. Safe to repeat. */
    abandon(generation: Generation): Effect.Effect<void, StorageFailed>
  }
>()("@parley/core/documents/PassageWriter") {}
