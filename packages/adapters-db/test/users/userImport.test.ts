import { userImportContract } from "@parley/core/testing"
import { Layer } from "effect"
import { LedgerClock } from "../../src/credits/LedgerClock.ts"
import { storesLayer } from "../../src/storesLayer.ts"
import { databases } from "../databases.ts"

/** The stories keep the time themselves. */
for (const { name, layer } of databases) {
  const stores = storesLayer().pipe(Layer.provide(Layer.succeed(LedgerClock, "caller")), Layer.provideMerge(layer))
  userImportContract(name, stores, { runs: 15 })
}
