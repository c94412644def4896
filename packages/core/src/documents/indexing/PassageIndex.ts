import type { DocumentKey, FoundPassage, Passage } from "../Document.ts"
import { Context, type Effect } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import type { ParsedDocument } from "../reading/DocumentParser.ts"
import type { Embedder } from "../embedding/Embedder.ts"
import type { Excerpt, ExcerptInput } from "./excerpt.ts"

/** The versions that an indexing was made with. If one of them differs today, the document should be re-indexed. */
export interface IndexedBy {
  /** The version of the parser that read the text; undefined if the parser has none. */
  readonly parser: string | undefined
  /** `INDEXING_VERSION` at that time; undefined if it is not known. */
  readonly version: number | undefined
  /** The embedder's name and dimensions; undefined if there are no embeddings. */
  readonly embedder: string | undefined
}

/** A document's active generation, without its text. */
export interface Indexing extends DocumentKey, IndexedBy {
  readonly passages: number
  /** Time of activation; compares with other times of the same storage only. */
  readonly activatedAt: number | undefined
}

export const isIndexedBy = (found: IndexedBy, wanted: IndexedBy): boolean =>
  found.parser === wanted.parser && found.version === wanted.version && found.embedder === wanted.embedder

/** A document's text and the passages cut from it, in order. */
export interface IndexedDocument extends ParsedDocument {
  readonly passages: ReadonlyArray<Passage>
}

export interface SearchInput {
  readonly userId: UserId
  /** Only passages of these documents, and only if `userId` owns them. Empty finds nothing. */
  readonly documentIds: ReadonlyArray<string>
  readonly query: string
  readonly limit: number
}

export interface SpreadInput {
  readonly userId: UserId
  /** Each id once. */
  readonly documentIds: ReadonlyArray<string>
  /** The most passages of one document. */
  readonly each: number
}

/**
 * The texts of documents and their passages, searchable. A search sees the active generation of a document alone (see
 * `PassageWriter`). Term statistics are the owner's, so that scores reveal nothing about other people's documents.
 */
export class PassageIndex extends Context.Service<
  PassageIndex,
  {
    /** Embeds passages and queries; undefined if the index searches words alone. */
    readonly embedder: Embedder["Service"] | undefined
    /** Returns the best passages first: by score, then by document and position, so that equal scores have one order. */
    search(input: SearchInput): Effect.Effect<ReadonlyArray<FoundPassage>, StorageFailed>
    /**
     * Returns passages of the named documents that the owner has, in the order of the ids and of the text, all with the
     * score 0: of each document its first passage and others at even distances, or all passages if there are no more.
     */
    spread(input: SpreadInput): Effect.Effect<ReadonlyArray<FoundPassage>, StorageFailed>
    /** Returns the whole active generation of a document; undefined if the owner has none. */
    read(document: DocumentKey): Effect.Effect<IndexedDocument | undefined, StorageFailed>
    /**
     * Returns a part of the text of a document's active generation, in time that depends on the size of the part alone;
     * undefined if the owner has none.
     */
    excerpt(input: ExcerptInput): Effect.Effect<Excerpt | undefined, StorageFailed>
    /** Returns how and when the active generations of these documents were made; in any order, without documents that have none. */
    indexings(documents: ReadonlyArray<DocumentKey>): Effect.Effect<ReadonlyArray<Indexing>, StorageFailed>
    /** Returns the passages whose embedding the index lacks, equal ones once. None if there is no embedder. */
    unembedded(userId: UserId, passages: ReadonlyArray<Passage>): Effect.Effect<ReadonlyArray<Passage>, StorageFailed>
  }
>()("@parley/core/documents/PassageIndex") {}
