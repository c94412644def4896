import { UnitOfWork } from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { Database } from "../database/Database.ts"
import { storing } from "./storageFailed.ts"

const make = Effect.map(Database, (database) =>
  UnitOfWork.of({
    run: (_owner, work) => storing("UnitOfWork.run", "documents")(database.unitOfWork(work)),
    join: (transaction, work) => storing("UnitOfWork.join")(database.join(transaction, work))
  })
)

/**
 * Units of work as database transactions. A store call that fails inside one fails the whole, even where the failure
 * was swallowed: Postgres takes nothing more of a transaction after an error.
 */
export const PgUnitOfWorkLayer: Layer.Layer<UnitOfWork, never, Database> = Layer.effect(UnitOfWork, make)
