import { Effect } from "effect"
import type { UserId } from "../../../identity/UserId.ts"
import type { Cursor } from "../../../storage/Cursor.ts"
import type { StorageFailed } from "../../../storage/StorageFailed.ts"
import type { Document, DocumentKey } from "../../Document.ts"
import type { DocumentStore } from "../../storing/DocumentStore.ts"
import { type IndexedBy, type Indexing, isIndexedBy, type PassageIndex } from "../PassageIndex.ts"
import { sha256 } from "../../../secrets/sha256.ts"

/** The documents to re-index: those of all people, of one person, or a single one. */
export interface ReindexScope {
  readonly userId?: UserId | undefined
  readonly documentId?: string | undefined
}

/** Returns the stored name of a scope: `all`, or a digest without personal data. */
export const scopeName = ({ documentId, userId }: ReindexScope): Effect.Effect<string> =>
  userId === undefined && documentId === undefined
    ? Effect.succeed("all")
    : sha256(new TextEncoder().encode(JSON.stringify([userId ?? null, documentId?.toLowerCase() ?? null])))

/** A document that is still to be re-indexed, with its present indexing. */
export interface OutstandingDocument {
  readonly document: Document
  readonly key: DocumentKey
  readonly indexing: Indexing | undefined
}

export interface Outstanding {
  readonly documents: DocumentStore["Service"]
  readonly passages: PassageIndex["Service"]
  /** Returns the present versions for documents of a type. */
  readonly wanted: (type: Document["type"]) => IndexedBy
  readonly scope: ReindexScope
  /** The start of the run: a document is done if it was indexed with the wanted versions after this time. */
  readonly begunAt: number
  /** The ids of documents that are left out. */
  readonly skipped?: ReadonlySet<string>
}

const PAGE = 100

export const isDone = ({ begunAt, wanted }: Outstanding, type: Document["type"], indexing: Indexing | undefined) =>
  indexing !== undefined && isIndexedBy(indexing, wanted(type)) && (indexing.activatedAt ?? -Infinity) > begunAt

/**
 * Visits the ready documents of the scope that are still to be re-indexed, page by page; returns the number of
 * documents that are done. Stops after a visit that returns `"enough"`.
 */
export const visitOutstanding = <E, R>(
  input: Outstanding,
  visit: (page: ReadonlyArray<OutstandingDocument>) => Effect.Effect<unknown, E, R>
): Effect.Effect<number, E | StorageFailed, R> =>
  Effect.gen(function* () {
    const { documents, passages, scope, skipped } = input
    let done = 0
    let after: Cursor | undefined
    do {
      const { next, rows: page } = yield* documents.listByStatus({ status: "ready", ...scope, after, limit: PAGE })
      const keys = page.map(({ id, userId }) => ({ userId, documentId: id }))
      const indexings = yield* passages.indexings(keys)
      const known = new Map(indexings.map((each) => [`${each.documentId} ${each.userId}`, each]))
      const outstanding = page.flatMap((document, place): ReadonlyArray<OutstandingDocument> => {
        const indexing = known.get(`${document.id} ${document.userId}`)
        return skipped?.has(document.id) === true || isDone(input, document.type, indexing)
          ? []
          : [{ document, key: keys[place]!, indexing }]
      })
      done += page.length - outstanding.length
      if ((yield* visit(outstanding)) === "enough") return done
      after = next
    } while (after !== undefined)
    return done
  })
