import { Context, Effect, Layer, Semaphore } from "effect"
import { Database, type DatabaseError, type Row } from "../Database.ts"
import { DatabaseOwner } from "../DatabaseOwner.ts"
import { type DatabaseRole, enterRole } from "../DatabaseRole.ts"
import { openRoles } from "../openRoles.ts"
import type { Connection, Driver } from "../Driver.ts"
import { openEngine, type OpenEngineOptions } from "./openEngine.ts"
import type { PgliteThread } from "./PgliteThread.ts"
import { BEGIN_EMBEDDED } from "../sessionSettings.ts"
import { toDatabaseError } from "../toDatabaseError.ts"

export interface PgliteDatabaseOptions extends OpenEngineOptions {
  /**
   * The engine of the database if the caller has begun to open it already; then the caller closes it, and not the
   * layer.
   */
  readonly engine?: PgliteThread | undefined
}

/** Sends a request to the engine. A running statement cannot be cancelled, so an interruption waits for its end. */
const send = <A>(start: () => Promise<unknown>): Effect.Effect<A, DatabaseError> =>
  Effect.callback((resume) => {
    const running = start()
    running.then(
      (value) => resume(Effect.succeed(value as A)),
      (cause) => resume(Effect.fail(toDatabaseError(cause)))
    )
    return Effect.promise(() => running.catch(() => undefined))
  })

const ask = (thread: PgliteThread, text: string, params: ReadonlyArray<unknown>) =>
  thread.ask({ kind: "query", text, params: params.map((value) => value ?? null) })

/**
 * Sends BEGIN, the statement and COMMIT at once, so that the engine's thread is woken only once. After a failed
 * statement, COMMIT rolls back.
 */
const askAs = async (thread: PgliteThread, role: DatabaseRole, text: string, params: ReadonlyArray<unknown>) => {
  const [begun, ran, committed] = await Promise.allSettled([
    thread.ask({ kind: "script", text: enterRole(BEGIN_EMBEDDED, undefined, role) }),
    ask(thread, text, params),
    thread.ask({ kind: "script", text: "COMMIT" })
  ])
  for (const step of [begun, ran, committed]) if (step.status === "rejected") throw step.reason
  return ran.status === "fulfilled" ? ran.value : []
}

const connectionTo = (thread: PgliteThread): Connection => ({
  query: <R extends Row>(text: string, params: ReadonlyArray<unknown>) =>
    send<ReadonlyArray<R>>(() => ask(thread, text, params)),
  script: (text) => send<ReadonlyArray<Row>>(() => thread.ask({ kind: "script", text })),
  begin: BEGIN_EMBEDDED,
  execute(text, params) {
    return params.length > 0 ? this.query(text, params) : this.script(text)
  },
  broken: () => false,
  discard: () => undefined
})

/**
 * A driver for the one connection of a PGlite: it runs one transaction at a time, in the order of the requests. It
 * needs no time limits: there is no network, no other client holds locks, and a running statement cannot be cancelled.
 */
export const pgliteDriver = (thread: PgliteThread): Driver => {
  const turn = Semaphore.makeUnsafe(1)
  const connection = connectionTo(thread)
  return {
    name: "pglite",
    admit: Effect.void,
    withConnection: (_purpose, use) => turn.withPermit(Effect.suspend(() => use(connection))),
    statementAs: (_purpose, role, text, params) =>
      turn.withPermit(Effect.suspend(() => send(() => askAs(thread, role, text, params)))),
    statement: (_purpose, text, params) => turn.withPermit(connection.query(text, params))
  }
}

/** Returns the given engine, or opens one that is closed with the scope. */
const engineOf = ({ engine, ...options }: PgliteDatabaseOptions) =>
  engine === undefined
    ? Effect.acquireRelease(
        Effect.sync(() => openEngine(options)),
        (own) => Effect.promise(() => own.close())
      )
    : Effect.succeed(engine)

/** An embedded PGlite, accessed through its two roles and as the owner. */
export const PgliteDatabaseLayer = (options: PgliteDatabaseOptions): Layer.Layer<Database | DatabaseOwner> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const roles = openRoles(pgliteDriver(yield* engineOf(options)), options.schema ?? "parley")
      return Context.make(Database, roles.database).pipe(Context.add(DatabaseOwner, roles.owner))
    })
  )
