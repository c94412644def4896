import { chatStoreContract, documentStoreContract, fileStoreContract, unitOfWorkContract } from "@parley/core/testing"
import { Layer } from "effect"
import { PgChatStoreLayer } from "../src/chat/PgChatStore.ts"
import { PgDocumentStoreLayer } from "../src/documents/PgDocumentStore.ts"
import { PgFileStoreLayer } from "../src/documents/PgFileStore.ts"
import { PgUnitOfWorkLayer } from "../src/storage/PgUnitOfWork.ts"
import { databases } from "./databases.ts"

const stores = Layer.mergeAll(PgChatStoreLayer, PgDocumentStoreLayer, PgFileStoreLayer, PgUnitOfWorkLayer)

for (const { name, layer } of databases) {
  const onDatabase = stores.pipe(Layer.provide(layer))
  chatStoreContract(name, onDatabase)
  documentStoreContract(name, onDatabase)
  fileStoreContract(name, onDatabase)
  unitOfWorkContract(name, onDatabase)
}
