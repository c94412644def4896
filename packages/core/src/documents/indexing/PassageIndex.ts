import type { DocumentKey, FoundPassage, Passage } from "../Document.ts"
import { Context, type Effect, Schema } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import type { ParsedDocument } from "../reading/DocumentParser.ts"
import type { Embedder, EmbeddingFailed } from "../embedding/Embedder.ts"
import type { Excerpt, ExcerptInput } from "./excerpt.ts"

/** What an indexing was made by. Where any of it is another today, the document is to be indexed anew. */
export interface IndexedBy {
  /** The version of the parser that read the text; undefined where it has none. */
  readonly parser: string | undefined
  /** How texts become passages and terms, `INDEXING_VERSION` then; undefined where it is not known. */
  readonly version: number | undefined
  /** The embedder's name and dimensions; undefined where there are no embeddings. */
  readonly embedder: string | undefined
}

/** What is known of a document's active generation. */
export interface Indexing extends DocumentKey, IndexedBy {
  readonly passages: number
  /** When it became active: compares with other moments of the same storage only. */
  readonly activatedAt: number | undefined
}

export const isIndexedBy = (found: IndexedBy, wanted: IndexedBy): boolean =>
  found.parser === wanted.parser && found.version === wanted.version && found.embedder === wanted.embedder

/** One indexing of one document. A number is never used twice for a document. */
export interface Generation extends DocumentKey {
  readonly generation: number
}

/** A generation under construction. */
export interface BegunGeneration extends Generation {
  /** How many passages it has already, from an earlier try that did not finish. */
  readonly passages: number
}

export interface BeginGeneration extends DocumentKey {
  /** The document's text, which is kept with the generation. */
  readonly parsed: ParsedDocument
  /** Of the text and of how it is cut: an unfinished generation is continued only where both are the same. */
  readonly fingerprint: string
  /** The version of the parser that read the text; none where it has none. */
  readonly parser?: string | undefined
}

/** A document with all its passages. */
export interface PutDocument extends BeginGeneration {
  readonly passages: ReadonlyArray<Passage>
}

/** What became of the embeddings of passages that were added. */
export interface AddedPassages {
  /** Passages whose embedding the embedder was asked for. */
  readonly asked: number
  /** Passages whose embedding was there: of this try or an earlier one, or of an equal passage of the same owner. */
  readonly reused: number
}

export const NOTHING_EMBEDDED: AddedPassages = { asked: 0, reused: 0 }

/** What is searched of a document: the text it was read as, and the passages cut from it, in order. */
export interface IndexedDocument extends ParsedDocument {
  readonly passages: ReadonlyArray<Passage>
}

export interface SearchInput {
  readonly userId: UserId
  /** Only passages of these documents, and only where `userId` owns them. Empty finds nothing. */
  readonly documentIds: ReadonlyArray<string>
  readonly query: string
  readonly limit: number
}

/** The generation does not exist any more: its document was deleted, or a later indexing took its place. */
export class GenerationGone extends Schema.TaggedError<GenerationGone>()("GenerationGone", {
  documentId: Schema.String
}) {
  readonly code = "generation_gone"
  override get message() {
    return `The document ${this.documentId} was deleted or is being indexed anew; this indexing of it has ended.`
  }
}

/**
 * The texts of documents and their passages, searchable. A document is indexed as a new generation: begun, filled batch by
 * batch, then activated. A search sees active generations only, of which a document has one at most. Term statistics are
 * the owner's alone, so that scores reveal nothing about other people's documents.
 */
export class PassageIndex extends Context.Service<
  PassageIndex,
  {
    /** By what it embeds what is added and asked; undefined where it searches words alone. */
    readonly embedder: Embedder["Service"] | undefined
    /**
     * Begins a generation and stores its text, or continues the unfinished one of the same fingerprint and embedder. An unfinished one
     * of another fingerprint is dropped: of two indexings at once the one that began last is kept.
     */
    begin(input: BeginGeneration): Effect.Effect<BegunGeneration, GenerationGone | StorageFailed>
    /**
     * Adds passages, which continue the generation's ordinals; those it has already are passed over, so that a batch may be
     * repeated. A gap is a defect. Meant for batches of up to a few hundred passages. Where there is a `PassageEmbedder`, no
     * passage is kept before its embedding, and each embedding is kept as soon as it is there: what was paid for is not asked
     * for again, nor what an equal passage of the same owner has by the same model.
     */
    add(
      generation: Generation,
      passages: ReadonlyArray<Passage>
    ): Effect.Effect<AddedPassages, EmbeddingFailed | GenerationGone | StorageFailed>
    /** Those of the passages whose embedding would have to be asked for, equal ones once. None where there is no embedder. */
    unembedded(userId: UserId, passages: ReadonlyArray<Passage>): Effect.Effect<ReadonlyArray<Passage>, StorageFailed>
    /** Makes the generation the one that is searched, in one step; those before it are dropped. May be repeated. */
    activate(generation: Generation): Effect.Effect<void, GenerationGone | StorageFailed>
    /**
     * Does what `begin`, `add` and `activate` do in one transaction, and `also` within it, for a document of a batch of passages
     * at most. Its embeddings are asked for before, and kept with the passages as soon as they are there. Undefined where that
     * cannot be done at once, as where an embedder takes several requests, or embeddings are there already: then nothing is
     * changed that is searched, `also` is not done, and what was paid for is kept for a generation that is begun in the usual way.
     */
    put<E = never>(
      document: PutDocument,
      also?: Effect.Effect<unknown, E>
    ): Effect.Effect<AddedPassages | undefined, E | EmbeddingFailed | GenerationGone | StorageFailed>
    /** By what, and when, the active generations of these documents were made; of those that have one, in any order. */
    indexings(documents: ReadonlyArray<DocumentKey>): Effect.Effect<ReadonlyArray<Indexing>, StorageFailed>
    /** Drops the generation unless it is active. May be repeated. */
    abandon(generation: Generation): Effect.Effect<void, StorageFailed>
    /** The active generation of a document, whole; undefined where the owner has none. */
    read(document: DocumentKey): Effect.Effect<IndexedDocument | undefined, StorageFailed>
    /**
     * A stretch of the text of a document's active generation, in time that depends on the stretch alone; undefined where
     * the owner has none.
     */
    excerpt(input: ExcerptInput): Effect.Effect<Excerpt | undefined, StorageFailed>
    /** The best passages first: by score, then by document and position, so that equal scores have one order. */
    search(input: SearchInput): Effect.Effect<ReadonlyArray<FoundPassage>, StorageFailed>
  }
>()("@parley/core/documents/PassageIndex") {}
