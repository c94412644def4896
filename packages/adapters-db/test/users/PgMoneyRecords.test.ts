import { moneyRecordsContract } from "@parley/core/testing"
import { Layer } from "effect"
import { storesLayer } from "../../src/storesLayer.ts"
import { databases } from "../databases.ts"

for (const { name, layer } of databases) moneyRecordsContract(name, storesLayer().pipe(Layer.provide(layer)))
