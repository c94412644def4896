import { passageIndexContract } from "@parley/core/testing"
import { Layer } from "effect"
import { PgDocumentStoreLayer, PgPassageIndexLayer } from "../../src/index.ts"
import { databases } from "../databases.ts"

for (const { name, layer } of databases) {
  passageIndexContract(name, Layer.mergeAll(PgPassageIndexLayer, PgDocumentStoreLayer).pipe(Layer.provide(layer)))
}
