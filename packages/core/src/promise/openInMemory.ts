import { Context, Effect, Layer } from "effect"
import { ChatStore } from "../chat/ChatStore.ts"
import { InMemoryChatStore } from "../chat/InMemoryChatStore.ts"
import { CreditLedger } from "../credits/CreditLedger.ts"
import { InMemoryCreditLedger } from "../credits/InMemoryCreditLedger.ts"
import { DocumentStore } from "../documents/DocumentStore.ts"
import { FileStore } from "../documents/FileStore.ts"
import { InMemoryDocumentStore } from "../documents/InMemoryDocumentStore.ts"
import { InMemoryFileStore } from "../documents/InMemoryFileStore.ts"
import { InMemoryJobQueue } from "../jobs/InMemoryJobQueue.ts"
import { InMemoryPassageIndex } from "../documents/InMemoryPassageIndex.ts"
import { JobQueue } from "../jobs/JobQueue.ts"
import { PassageIndex } from "../documents/PassageIndex.ts"
import { InMemoryRateLimiter } from "../limits/InMemoryRateLimiter.ts"
import { RateLimiter } from "../limits/RateLimiter.ts"
import { InMemoryUnitOfWork } from "../storage/InMemoryUnitOfWork.ts"
import { UnitOfWork } from "../storage/UnitOfWork.ts"
import type { ParleyOptions } from "./createParley.ts"

/** The adapters that keep things, for `createParley`. */
export type StorageAdapters = Pick<
  ParleyOptions,
  "ledger" | "chats" | "documents" | "files" | "passages" | "jobs" | "rateLimiter" | "unitOfWork"
>

/** Every store in memory, as one layer. */
export const inMemoryStorageLayer = Layer.mergeAll(
  InMemoryChatStore.layer,
  InMemoryCreditLedger.layer,
  InMemoryFileStore.layer,
  InMemoryJobQueue.layer,
  InMemoryPassageIndex.layer,
  InMemoryRateLimiter.layer,
  InMemoryUnitOfWork.layer
).pipe(Layer.provideMerge(InMemoryDocumentStore.layer))

/** Every store in the memory of this process, for tests and trials: what is in them ends with the process. */
export const openInMemory = (): Promise<StorageAdapters> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.map(Layer.build(inMemoryStorageLayer), (context) => ({
        ledger: Context.get(context, CreditLedger),
        chats: Context.get(context, ChatStore),
        documents: Context.get(context, DocumentStore),
        files: Context.get(context, FileStore),
        passages: Context.get(context, PassageIndex),
        jobs: Context.get(context, JobQueue),
        rateLimiter: Context.get(context, RateLimiter),
        unitOfWork: Context.get(context, UnitOfWork)
      }))
    )
  )
