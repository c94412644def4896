import { Context, type Effect, Schema } from "effect"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import type { DocumentKey, Passage } from "../Document.ts"
import type { EmbeddingFailed } from "../embedding/Embedder.ts"
import type { ParsedDocument } from "../reading/DocumentParser.ts"

/** One indexing of one document. A document never has two generations of the same number. */
export interface Generation extends DocumentKey {
  readonly generation: number
}

/** A generation under construction. */
export interface BegunGeneration extends Generation {
  /** Passages that an earlier, unfinished try added. */
  readonly passages: number
}

export interface BeginGeneration extends DocumentKey {
  /** The document's text, which is kept with the generation. */
  readonly parsed: ParsedDocument
  /** Identifies the text and the way it is cut: an unfinished generation is continued only if both are the same. */
  readonly fingerprint: string
  /** The version of the parser that read the text, if it has one. */
  readonly parser?: string | undefined
}

/** A document with all its passages. */
export interface PutDocument extends BeginGeneration {
  readonly passages: ReadonlyArray<Passage>
}

/** Counts the embeddings of added passages. */
export interface AddedPassages {
  /** Passages whose embedding the index asked the embedder for. */
  readonly asked: number
  /** Passages whose embedding the index had: from this try or an earlier one, or from an equal passage of the same owner. */
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
     * Begins a generation and stores its text, or continues the unfinished one of the same fingerprint and embedder. An
     * unfinished one of another fingerprint is dropped: of two concurrent indexings the index keeps the one that began last.
     */
    begin(input: BeginGeneration): Effect.Effect<BegunGeneration, GenerationGone | StorageFailed>
    /**
     * Adds passages, which continue the generation's ordinals; the index skips those it has, so that a batch may be
     * repeated. A gap is a defect. A batch has up to a few hundred passages. If there is an embedder, the index stores no
     * passage before its embedding, and each embedding as soon as it arrives. It asks for no embedding that it has of an
     * equal passage of the same owner by the same model.
     */
    add(
      generation: Generation,
      passages: ReadonlyArray<Passage>
    ): Effect.Effect<AddedPassages, EmbeddingFailed | GenerationGone | StorageFailed>
    /** Makes the generation the searched one, in one step, and drops those before it. May be repeated. */
    activate(generation: Generation): Effect.Effect<void, GenerationGone | StorageFailed>
    /**
     * Does `begin`, `add` and `activate` in one transaction, and `also` within it, for a document of at most one batch of
     * passages. The index asks for the embeddings before, and stores them with the passages. Returns undefined if one
     * transaction cannot do it: the embedder needs several requests, or some embeddings exist. In that case the searched
     * generation stays, `also` does not run, and embeddings that were paid for are kept for the next `begin`.
     */
    put<E = never>(
      document: PutDocument,
      also?: Effect.Effect<unknown, E>
    ): Effect.Effect<AddedPassages | undefined, E | EmbeddingFailed | GenerationGone | StorageFailed>
    /** Drops the generation unless it is active. May be repeated. */
    abandon(generation: Generation): Effect.Effect<void, StorageFailed>
  }
>()("@parley/core/documents/PassageWriter") {}
