import {
  chatStoreContract,
  documentStoreContract,
  fileStoreContract,
  rateLimiterContract,
  unitOfWorkContract
} from "@parley/core/testing"
import { Layer } from "effect"
import { PgChatStoreLayer } from "../src/chat/PgChatStore.ts"
import { PgDocumentStoreLayer } from "../src/documents/PgDocumentStore.ts"
import { PgFileStoreLayer } from "../src/documents/PgFileStore.ts"
import { PgRateLimiterLayer } from "../src/limits/PgRateLimiter.ts"
import { PgUnitOfWorkLayer } from "../src/storage/PgUnitOfWork.ts"
import { databases } from "./databases.ts"

const stores = Layer.mergeAll(
  PgChatStoreLayer,
  PgDocumentStoreLayer,
  PgFileStoreLayer,
  PgRateLimiterLayer,
  PgUnitOfWorkLayer
)

for (const { name, layer } of databases) {
  const onDatabase = stores.pipe(Layer.provide(layer))
  chatStoreContract(name, onDatabase)
  documentStoreContract(name, onDatabase)
  fileStoreContract(name, onDatabase)
  rateLimiterContract(name, onDatabase)
  unitOfWorkContract(name, onDatabase)
}
