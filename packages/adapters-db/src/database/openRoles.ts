import { TransactionNotJoined, instruments } from "@parley/core/adapter"
import { Cause, Context, Effect, Exit } from "effect"
import { Database, DatabaseError, MOVED, type Row, type Sql } from "./Database.ts"
import { DatabaseOwner } from "./DatabaseOwner.ts"
import type { Connection, Driver } from "./Driver.ts"
import { joinTransaction } from "./server/joinTransaction.ts"
import { CurrentPurpose, type Purpose } from "./limits.ts"
import type { DatabaseRole } from "./DatabaseRole.ts"
import { checkSchemaName, quoteIdentifier } from "./quoting.ts"
import { snapshotOf } from "./sessionSettings.ts"
import { failedInside, runTransaction, scriptThrough, sqlThrough, type Transaction } from "./Transaction.ts"

/**
 * Purposes whose statements a person waits for. Statements of the others may take long: they wait for locks on purpose,
 * or read and write a lot.
 */
const AWAITED: ReadonlySet<Purpose> = new Set(["interactive", "turn", "commit"])
const SLOW_MS = 1_000
const MOST_CHARACTERS = 200

const CELL = "parley.cell"

const isRefusedByFence = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isFailure(exit) && (Cause.squash(exit.cause) as { readonly sqlState?: unknown }).sqlState === MOVED

const cellLabel = ({ [CELL]: cell }: Labels): Labels => (cell === undefined ? {} : { [CELL]: cell })

/** Scripts begin and end transactions and change roles; they contain the names of people. */
const SCRIPT = "(the beginning or the end of a transaction)"

/** The beginning of a statement, in one line. It has no values: those are parameters. */
const shown = (text: string): string => text.replaceAll(/\s+/g, " ").trim().slice(0, MOST_CHARACTERS)

/** The fixed labels of a database in metrics. */
type Labels = Readonly<Record<string, string>>

/** Measures each statement, with the wait for a connection if it waits for one, and logs the slow ones. */
const observe =
  (of: Labels, purpose: Purpose, text: string) =>
  <A, E, R>(statement: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const began = performance.now()
      return Effect.onExit(statement, (exit) => {
        const durationMs = performance.now() - began
        const labels = { ...of, "parley.purpose": purpose }
        const failed = Exit.isSuccess(exit) ? labels : { ...labels, "error.type": "failed" }
        instruments.databaseDuration.record(durationMs / 1_000, failed)
        if (isRefusedByFence(exit)) instruments.cellRefusals.record(1, cellLabel(of))
        if (durationMs < SLOW_MS || !AWAITED.has(purpose)) return Effect.void
        // With a reason it counts as a failure, of which the log takes the first one in a minute and counts the others.
        const fields = { reason: "slow", purpose, durationMs: Math.round(durationMs), statement: shown(text) }
        return Effect.annotateLogs(Effect.logWarning("A statement was slow."), fields)
      })
    })

/** The driver, whose statements are measured. */
const observedDriver = (driver: Driver, cell: string | undefined): Driver => {
  const system = {
    "db.system.name": driver.name === "pg" ? "postgresql" : "pglite",
    ...(cell === undefined ? {} : { [CELL]: cell })
  }
  const observed = (purpose: Purpose, connection: Connection): Connection => ({
    ...connection,
    query: (text, params) => observe(system, purpose, text)(connection.query(text, params)),
    script: (text) => observe(system, purpose, SCRIPT)(connection.script(text)),
    execute: (text, params) => observe(system, purpose, text)(connection.execute(text, params))
  })
  return {
    ...driver,
    withConnection: (purpose, use) =>
      driver.withConnection(purpose, (connection) => use(observed(purpose, connection))),
    statement: (purpose, text, params) => observe(system, purpose, text)(driver.statement(purpose, text, params)),
    statementAs: (purpose, role, text, params) =>
      observe(system, purpose, text)(driver.statementAs(purpose, role, text, params))
  }
}

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

/** A connection whose transaction did not end is not used again. */
const readSnapshot = <A, E, R>(connection: Connection, work: (sql: Sql) => Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    connection.script(snapshotOf(connection.begin)),
    () => work({ query: (text, params = []) => connection.query(text, params) }),
    () => Effect.catch(Effect.asVoid(connection.script("ROLLBACK")), () => Effect.sync(connection.discard))
  )

const SERVICE: DatabaseRole = { name: "parley_service" }
const OWNER: DatabaseRole = { name: "owner" }

/**
 * The units of work of one database. The transaction in progress travels in the fiber's context, so that a call inside
 * another, or inside a unit of work, joins it. A fiber that outlives its unit opens transactions of its own.
 */
const makeUnits = (driver: Driver) => {
  const Ambient = Context.Reference<Transaction | undefined>(
    `@parley/adapters-db/database/Transaction/${databases++}`,
    { defaultValue: () => undefined }
  )
  const within =
    <A, E, R>(work: Effect.Effect<A, E, R>) =>
    (transaction: Transaction) =>
      Effect.provideService(work, Ambient, transaction)

  const inTransaction = <A, E, R>(
    use: (transaction: Transaction) => Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | DatabaseError, R> =>
    Effect.flatMap(Ambient, (joined): Effect.Effect<A, E | DatabaseError, R> => {
      if (joined?.open !== true) return runTransaction(driver, (begun) => within(use(begun))(begun))
      return Effect.onExit(use(joined), (exit) =>
        Effect.sync(() => {
          if (Exit.isFailure(exit)) joined.doomed ??= failedInside()
        })
      )
    })

  const through = <A, E, R>(role: DatabaseRole, work: (sql: Sql) => Effect.Effect<A, E, R>) =>
    inTransaction((transaction) => work(sqlThrough(transaction, role)))

  return { Ambient, within, inTransaction, through }
}
type Units = ReturnType<typeof makeUnits>
type Preparation = Effect.Effect<unknown, DatabaseError>

/** The role of stores. `preparations` run before a unit of work begins. */
const openDatabase = (driver: Driver, schema: string, units: Units, preparations: ReadonlyArray<Preparation>) => {
  const { Ambient, inTransaction, through, within } = units
  const quoted = quoteIdentifier(checkSchemaName(schema))
  const prepared = Effect.flatMap(Ambient, (joined) =>
    joined?.open === true ? Effect.void : Effect.all(preparations, { discard: true })
  )
  return Database.of({
    driver: driver.name,
    admit: driver.admit,
    schema: quoted,
    asUser: (userId, work) =>
      malformed(userId) ? Effect.fail(notText()) : through({ name: "parley_user", userId }, work),
    asService: (work) => through(SERVICE, work),
    statementAsUser: <R extends Row>(userId: string, text: string, params: ReadonlyArray<unknown> = []) =>
      Effect.gen(function* () {
        if (malformed(userId)) return yield* notText()
        const role: DatabaseRole = { name: "parley_user", userId }
        if ((yield* Ambient)?.open === true) return yield* through(role, (sql) => sql.query<R>(text, params))
        return yield* driver.statementAs<R>(yield* CurrentPurpose, role, text, params)
      }),
    statement: <R extends Row>(text: string, params: ReadonlyArray<unknown> = []) =>
      Effect.gen(function* () {
        const joined = yield* Ambient
        if (joined?.open === true) return yield* sqlThrough(joined, SERVICE).query<R>(text, params)
        return yield* driver.statement<R>(yield* CurrentPurpose, text, params)
      }),
    unitOfWork: (work) =>
      Effect.andThen(
        prepared,
        inTransaction(() => work)
      ),
    join: (client, work) =>
      driver.name === "pg"
        ? joinTransaction(client, quoted, within(work))
        : Effect.fail(new TransactionNotJoined({ problem: "not-supported" })),
    inTransaction: Effect.map(Ambient, (joined) => joined?.open === true)
  })
}

/** The role of migrations and of the job queue. */
const openOwner = (driver: Driver, schema: string, units: Units, preparations: Array<Preparation>) =>
  DatabaseOwner.of({
    schemaName: schema,
    asOwner: (work) =>
      units.inTransaction((transaction) =>
        work({ ...sqlThrough(transaction, OWNER), script: scriptThrough(transaction, OWNER) })
      ),
    execute: (text, params = []) =>
      Effect.flatMap(CurrentPurpose, (purpose) =>
        driver.withConnection(purpose, (connection) => Effect.uninterruptible(executeOn(connection, text, params)))
      ),
    snapshot: (work) =>
      Effect.flatMap(CurrentPurpose, (purpose) =>
        driver.withConnection(purpose, (connection) => readSnapshot(connection, work))
      ),
    connections: () => driver.connections?.(),
    beforeUnits: (preparation) => Effect.sync(() => void preparations.push(preparation)),
    afterCommit: (action) =>
      Effect.map(units.Ambient, (joined) => {
        if (joined?.open === true) joined.afterCommit.push(action)
        else action()
      })
  })

/** Returns the roles of a database over a driver, which share their units of work; `cell` is its name in metrics. */
export const openRoles = (plain: Driver, schema: string, cell?: string): DatabaseRoles => {
  const driver = observedDriver(plain, cell)
  const units = makeUnits(driver)
  const preparations: Array<Preparation> = []
  return {
    database: openDatabase(driver, schema, units, preparations),
    owner: openOwner(driver, schema, units, preparations)
  }
}
