import type { DocumentKey, FoundPassage, Passage } from "../Document.ts"
import { Context, type Effect } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import type { ParsedDocument } from "../reading/DocumentParser.ts"
import type { Embedder } from "../embedding/Embedder.ts"
import type { Excerpt, ExcerptInput } from "./excerpt.ts"

/**
 * The versions with which a document was indexed. If one of them differs from the present version, the document should
 * be re-indexed.
 */
export interface IndexedBy {
  /** The version of the parser that read the text; undefined if the parser has no versions. */
  readonly parser: string | undefined
  /** The `INDEXING_VERSION` at the time of indexing; undefined if it is unknown. */
  readonly version: number | undefined
  /** The embedder's name and dimensions; undefined if the passages have no embeddings. */
  readonly embedder: string | undefined
}

/** The state of a document's active generation, without its text. */
export interface Indexing extends DocumentKey, IndexedBy {
  readonly passages: number
  /** The time of activation; can be compared only with other times of the same storage. */
  readonly activatedAt: number | undefined
}

export const isIndexedBy = (found: IndexedBy, wanted: IndexedBy): boolean =>
  found.parser === wanted.parser && found.version === wanted.version && found.embedder === wanted.embedder

/** A document's text, and the passages cut from it, in order. */
export interface IndexedDocument extends ParsedDocument {
  readonly passages: ReadonlyArray<Passage>
}

export interface SearchInput {
  readonly userId: UserId
  /** Only passages of these documents are searched, and only if `userId` owns them. An empty list finds nothing. */
  readonly documentIds: ReadonlyArray<string>
  readonly query: string
  readonly limit: number
}

export interface SpreadInput {
  readonly userId: UserId
  /** The ids, without duplicates. */
  readonly documentIds: ReadonlyArray<string>
  /** The maximum number of passages of one document. */
  readonly each: number
}

/**
 * The texts of documents and their searchable passages. A search finds passages of active generations only (see
 * `PassageWriter`). Term statistics are counted over one owner's documents, so that scores reveal nothing about
 * documents of other people.
 */
export class PassageIndex extends Context.Service<
  PassageIndex,
  {
    /** The embedder of passages and queries; undefined if the index searches by words alone. */
    readonly embedder: Embedder["Service"] | undefined
    /**
     * Returns the best passages first: by score, then by document and position, so that passages with equal scores have
     * a fixed order.
     */
    search(input: SearchInput): Effect.Effect<ReadonlyArray<FoundPassage>, StorageFailed>
    /**
     * Returns passages of the named documents of the owner, in the order of the ids and of the text, all with the score
     * 0: of each document its first passage and others at even distances, at most `each`.
     */
    spread(input: SpreadInput): Effect.Effect<ReadonlyArray<FoundPassage>, StorageFailed>
    /** Returns the whole active generation of a document; undefined if the owner has none. */
    read(document: DocumentKey): Effect.Effect<IndexedDocument | undefined, StorageFailed>
    /**
     * Returns a part of the text of a document's active generation; undefined if the owner has none. The time of the
     * read depends only on the size of the part.
     */
    excerpt(input: ExcerptInput): Effect.Effect<Excerpt | undefined, StorageFailed>
    /**
     * Returns the versions and times of the active generations of these documents, in any order; documents without one
     * are left out.
     */
    indexings(documents: ReadonlyArray<DocumentKey>): Effect.Effect<ReadonlyArray<Indexing>, StorageFailed>
    /**
     * Returns the passages whose embedding the index lacks, passages with equal texts once; none if there is no
     * embedder.
     */
    unembedded(userId: UserId, passages: ReadonlyArray<Passage>): Effect.Effect<ReadonlyArray<Passage>, StorageFailed>
  }
>()("@parley/core/documents/PassageIndex") {}
