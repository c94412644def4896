import { Effect } from "effect"
import { UnitOfWork } from "../../../storage/UnitOfWork.ts"
import type { Document } from "../../Document.ts"
import { embeddingModel } from "../../embedding/embedPassages.ts"
import { DocumentParser } from "../../reading/DocumentParser.ts"
import { makeReadingTries } from "../../reading/processDocument.ts"
import { DocumentStore } from "../../storing/DocumentStore.ts"
import { FileStore } from "../../storing/FileStore.ts"
import { INDEXING_VERSION } from "../indexDocument.ts"
import { type IndexedBy, PassageIndex } from "../PassageIndex.ts"
import { PassageWriter } from "../PassageWriter.ts"
import { ReindexStore } from "./ReindexStore.ts"

/** The services that re-indexing uses. */
export const makeParts = Effect.gen(function* () {
  const parser = yield* DocumentParser
  const passages = yield* PassageIndex
  return {
    ...{ parser, passages },
    documents: yield* DocumentStore,
    files: yield* FileStore,
    tryReading: yield* makeReadingTries,
    writer: yield* PassageWriter,
    unitOfWork: yield* UnitOfWork,
    claims: yield* ReindexStore,
    /** Returns the present versions for documents of a type. */
    wanted: (type: Document["type"]): IndexedBy => ({
      parser: parser.versionOf?.(type),
      version: INDEXING_VERSION,
      // Asks the index for its embedder, because an adapter that opened the stores may have chosen it, unknown to other
      // services.
      embedder: passages.embedder && embeddingModel(passages.embedder)
    })
  }
})
export type Parts = Effect.Success<typeof makeParts>
