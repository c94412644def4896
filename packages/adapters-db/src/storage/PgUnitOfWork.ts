import { StorageFailed, TransactionConflict, UnitOfWork } from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import { Database, DatabaseError } from "../database/Database.ts"
import { storing } from "./storageFailed.ts"

/**
 * The SQLSTATEs of a serialization failure and of a deadlock (PostgreSQL 17, appendix A). After these, only a new
 * transaction can succeed.
 */
const CONFLICTS: ReadonlySet<string | undefined> = new Set(["40001", "40P01"])

const isConflict = (error: unknown): error is StorageFailed =>
  error instanceof StorageFailed && error.cause instanceof DatabaseError && CONFLICTS.has(error.cause.sqlState)

const make = Effect.map(Database, (database) =>
  UnitOfWork.of({
    run: (_owner, work) => storing("UnitOfWork.run", "documents")(database.unitOfWork(work)),
    join: (_owner, transaction, work) =>
      Effect.mapError(storing("UnitOfWork.join")(database.join(transaction, work)), (error) =>
        isConflict(error) ? new TransactionConflict({ cause: error.cause }) : error
      )
  })
)

/**
 * Runs units of work as database transactions. If a store call inside a unit fails, the whole unit fails, even if the
 * caller ignores the failure, because Postgres refuses all further statements of a failed transaction.
 */
export const PgUnitOfWorkLayer: Layer.Layer<UnitOfWork, never, Database> = Layer.effect(UnitOfWork, make)
