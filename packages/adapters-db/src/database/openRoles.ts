import { TransactionNotJoined } from "@parley/core/adapter"
import { Context, Effect, Exit } from "effect"
import { Database, DatabaseError, type Row, type Sql } from "./Database.ts"
import { DatabaseOwner } from "./DatabaseOwner.ts"
import type { Connection, Driver } from "./Driver.ts"
import { joinTransaction } from "./server/joinTransaction.ts"
import { CurrentPurpose } from "./limits.ts"
import type { DatabaseRole } from "./DatabaseRole.ts"
import { checkSchemaName, quoteIdentifier } from "./quoting.ts"
import { failedInside, runTransaction, scriptThrough, sqlThrough, type Transaction } from "./Transaction.ts"

let databases = 0

/** One database as its roles: what stores use, and what only migrations and the job queue use. */
export interface DatabaseRoles {
  readonly database: Database["Service"]
  readonly owner: DatabaseOwner["Service"]
}

const malformed = (userId: string): boolean => userId.includes("\0") || !userId.isWellFormed()

const notText = () => new DatabaseError({ sqlState: "22021", cause: new Error("The user id is not a text.") })

const executeOn = (connection: Connection, text: string, params: ReadonlyArray<unknown>) =>
  Effect.tapError(connection.execute(text, params), () =>
    connection.broken()
      ? Effect.void
      : Effect.catch(Effect.asVoid(connection.script("ROLLBACK")), () => Effect.sync(connection.discard))
  )

/**
 * Returns the roles of a database over a driver. The transaction in progress travels in the fiber's context, so that a call
 * inside another, or inside a unit of work, joins it. A fiber that outlives its unit opens transactions of its own.
 */
export const openRoles = (driver: Driver, schema: string): DatabaseRoles => {
  const Ambient = Context.Reference<Transaction | undefined>(
    `@parley/adapters-db/database/Transaction/${databases++}`,
    {
      defaultValue: () => undefined
    }
  )

  const inTransaction = <A, E, R>(
    use: (transaction: Transaction) => Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | DatabaseError, R> =>
    Effect.flatMap(Ambient, (current): Effect.Effect<A, E | DatabaseError, R> => {
      if (current === undefined || !current.open) {
        return runTransaction(driver, (transaction) => Effect.provideService(use(transaction), Ambient, transaction))
      }
      return Effect.onExit(use(current), (exit) =>
        Effect.sync(() => {
          if (Exit.isFailure(exit)) current.doomed ??= failedInside()
        })
      )
    })

  const through = <A, E, R>(role: DatabaseRole, work: (sql: Sql) => Effect.Effect<A, E, R>) =>
    inTransaction((transaction) => work(sqlThrough(transaction, role)))

  const { statementAs } = driver

  const preparations: Array<Effect.Effect<unknown, DatabaseError>> = []
  const prepareUnit = Effect.flatMap(Ambient, (current) =>
    current?.open === true ? Effect.void : Effect.all(preparations, { discard: true })
  )

  const service: DatabaseRole = { name: "parley_service" }
  const owner: DatabaseRole = { name: "owner" }
  return {
    database: Database.of({
      driver: driver.name,
      admit: driver.admit,
      schema: quoteIdentifier(checkSchemaName(schema)),
      asUser: (userId, work) =>
        malformed(userId) ? Effect.fail(notText()) : through({ name: "parley_user", userId }, work),
      asService: (work) => through(service, work),
      statementAsUser: <R extends Row>(userId: string, text: string, params: ReadonlyArray<unknown> = []) =>
        Effect.gen(function* () {
          if (malformed(userId)) return yield* notText()
          const role: DatabaseRole = { name: "parley_user", userId }
          if (statementAs === undefined || (yield* Ambient)?.open === true) {
            return yield* through(role, (sql) => sql.query<R>(text, params))
          }
          return yield* statementAs<R>(yield* CurrentPurpose, role, text, params)
        }),
      statement: <R extends Row>(text: string, params: ReadonlyArray<unknown> = []) =>
        Effect.gen(function* () {
          const current = yield* Ambient
          if (current?.open === true) return yield* sqlThrough(current, service).query<R>(text, params)
          return yield* driver.statement<R>(yield* CurrentPurpose, text, params)
        }),
      unitOfWork: (work) =>
        Effect.andThen(
          prepareUnit,
          inTransaction(() => work)
        ),
      join: (client, work) =>
        driver.name === "pg"
          ? joinTransaction(client, quoteIdentifier(checkSchemaName(schema)), (transaction) =>
              Effect.provideService(work, Ambient, transaction)
            )
          : Effect.fail(new TransactionNotJoined({ problem: "not-supported" })),
      inTransaction: Effect.map(Ambient, (current) => current !== undefined && current.open)
    }),
    owner: DatabaseOwner.of({
      schemaName: schema,
      asOwner: (work) =>
        inTransaction((transaction) =>
          work({ ...sqlThrough(transaction, owner), script: scriptThrough(transaction, owner) })
        ),
      execute: (text, params = []) =>
        Effect.flatMap(CurrentPurpose, (purpose) =>
          driver.withConnection(purpose, (connection) => Effect.uninterruptible(executeOn(connection, text, params)))
        ),
      beforeUnits: (preparation) => Effect.sync(() => void preparations.push(preparation)),
      afterCommit: (action) =>
        Effect.map(Ambient, (current) => {
          if (current === undefined || !current.open) action()
          else current.afterCommit.push(action)
        })
    })
  }
}
