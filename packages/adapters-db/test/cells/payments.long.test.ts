import { billingModelTest } from "@parley/core/testing"
import { Layer } from "effect"
import { LedgerClock } from "../../src/credits/LedgerClock.ts"
import { databases } from "../databases.ts"
import { paymentsOverCells } from "./payments.ts"
import { routedStores } from "./routedStores.ts"

paymentsOverCells(true)

/** Stories keep the time themselves. */
const clock = Layer.succeed(LedgerClock, "caller")
const { PARLEY_TEST_SEED: seed, PARLEY_TEST_PATH: path } = process.env

for (const { layer, name } of databases.slice(-1))
  for (const count of [2, 4])
    billingModelTest(`${name}, ${count} cells`, Layer.provide(routedStores(count, layer), clock), {
      stories: 60,
      seed: seed === undefined ? undefined : Number(seed),
      path
    })
