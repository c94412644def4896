import { userImportContract } from "@parley/core/testing"
import { Layer } from "effect"
import { LedgerClock } from "../../src/credits/LedgerClock.ts"
import { storesLayer } from "../../src/storesLayer.ts"
import { databases } from "../databases.ts"

/** The import of people on a database of each kind, with this number of random files and stories. */
export const importsOnDatabases = (runs: number): void => {
  for (const { name, layer } of databases) {
    // The stories keep the time themselves.
    const stores = storesLayer().pipe(Layer.provide(Layer.succeed(LedgerClock, "caller")), Layer.provideMerge(layer))
    userImportContract(name, stores, { runs })
  }
}
