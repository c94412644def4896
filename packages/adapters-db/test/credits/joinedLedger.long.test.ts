import { UnitOfWork } from "@parley/core/adapter"
import { CreditLedger } from "@parley/core/adapter"
import { creditLedgerContract } from "@parley/core/testing"
import { Effect, Layer } from "effect"
import pg from "pg"
import { PgCreditLedgerLayer } from "../../src/credits/PgCreditLedger.ts"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { migrate } from "../../src/migrations/migrate.ts"
import { PgUnitOfWorkLayer } from "../../src/storage/PgUnitOfWork.ts"
import { freshPostgres } from "../databases.ts"
import { queryBuilder } from "./callersClients.ts"

/** The ledger, every operation of which is part of a caller's transaction, through a client with its own types. */
const joined = (url: string) =>
  Layer.effect(
    CreditLedger,
    Effect.gen(function* () {
      const ledger = yield* CreditLedger
      const units = yield* UnitOfWork
      const pool = yield* Effect.acquireRelease(
        Effect.sync(() => new pg.Pool({ connectionString: url, max: 10 })),
        (open) => Effect.promise(() => open.end())
      )
      const ask = (client: pg.PoolClient, text: string) => Effect.promise(() => client.query(text))
      return CreditLedger.of({
        ...ledger,
        run: (operation) =>
          Effect.acquireUseRelease(
            Effect.promise(() => pool.connect()),
            (client) =>
              ask(client, "BEGIN").pipe(
                Effect.andThen(units.join(operation.userId, queryBuilder(client), ledger.run(operation))),
                Effect.catchTag("TransactionNotJoined", Effect.die),
                Effect.onExit(() => ask(client, "COMMIT"))
              ),
            (client) => Effect.sync(() => client.release())
          ) as ReturnType<typeof ledger.run>
      } as typeof ledger)
    })
  )

const layer = Layer.unwrap(
  Effect.map(freshPostgres, (url) => {
    const database = PgDatabaseLayer({ url })
    const migrated = Layer.effectDiscard(migrate()).pipe(Layer.provideMerge(database))
    return joined(url).pipe(
      Layer.provideMerge(PgCreditLedgerLayer),
      Layer.provide(PgUnitOfWorkLayer),
      Layer.provide(migrated)
    )
  })
)

creditLedgerContract("Postgres, in transactions of the caller's", layer)
