/** The databases on which random histories of credits are played. */
import { creditLedgerModelTest, ledgerOf } from "@parley/core/testing"
import { Effect, Layer, type Scope } from "effect"
import { describe } from "vitest"
import { LedgerClock } from "../../src/credits/LedgerClock.ts"
import { PgCreditLedgerLayer } from "../../src/credits/PgCreditLedger.ts"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { databases, hasPostgres, migratedPostgres } from "../databases.ts"
import { hasPooler, migratedBehindPooler } from "../pooler.ts"

/** `PARLEY_TEST_SEED` and `PARLEY_TEST_PATH`, as a failing run prints them, play its histories again. */
const { PARLEY_TEST_SEED: seed, PARLEY_TEST_PATH: path } = process.env
const replay = { seed: seed === undefined ? undefined : Number(seed), path }

/** Histories keep the time themselves. */
const onCallersClock = Layer.provide(PgCreditLedgerLayer, Layer.succeed(LedgerClock, "caller"))

/** Ledgers of three processes on one database. */
const processes = (address: Effect.Effect<string, never, Scope.Scope>) =>
  Effect.gen(function* () {
    const url = yield* address
    const layer = onCallersClock.pipe(Layer.provide(PgDatabaseLayer({ url, maxConnections: 6 })))
    return yield* Effect.all([ledgerOf(Layer.fresh(layer)), ledgerOf(Layer.fresh(layer)), ledgerOf(Layer.fresh(layer))])
  })

export const historiesOnPglite = (histories: number): void => {
  for (const { name, layer } of databases.filter((database) => database.name === "PGlite")) {
    const ledger = ledgerOf(onCallersClock.pipe(Layer.provide(layer)))
    creditLedgerModelTest(
      name,
      Effect.map(ledger, (one) => [one]),
      { histories, ...replay }
    )
  }
}

export const historiesOnPostgres = (histories: number) =>
  describe.runIf(hasPostgres)("on a server", () =>
    creditLedgerModelTest("Postgres, three processes", processes(migratedPostgres), { histories, ...replay })
  )

export const historiesBehindPooler = (histories: number) =>
  describe.runIf(hasPostgres && hasPooler)("behind a pooler", () =>
    creditLedgerModelTest("transaction pooling, three processes", processes(migratedBehindPooler), {
      histories,
      ...replay
    })
  )
