import { Context, Effect, Exit, Fiber, Layer } from "effect"
import pg from "pg"
import { afterAll, describe, expect, it } from "vitest"
import { Database, DatabaseError } from "../../src/database/Database.ts"
import { DatabaseOwner } from "../../src/database/DatabaseOwner.ts"
import { forPurpose, type Limits, LIMITS, type LimitsPolicy, type Purpose } from "../../src/database/limits.ts"
import { PgDatabaseLayer } from "../../src/database/server/PgDatabase.ts"
import { administer } from "../administer.ts"
import { freshPostgres, hasPostgres } from "../databases.ts"
import { SilentNetwork } from "../faults/SilentNetwork.ts"
import { behindPooler, hasPooler } from "../pooler.ts"

const SHORT: Limits = { statementMs: 400, lockMs: 200, silenceMs: 400, alone: false }
/** For calls that have to succeed, however slow the machine is. */
const ROOMY: Limits = { statementMs: 60_000, lockMs: 60_000, silenceMs: 60_000, alone: false }
const policyOf = (limits: Limits) =>
  Object.fromEntries(
    Object.entries(LIMITS).map(([purpose, { alone }]) => [purpose, purpose === "schema" ? ROOMY : { ...limits, alone }])
  ) as Record<Purpose, Limits> satisfies LimitsPolicy
const policy = policyOf(SHORT)
const roomy = forPurpose("schema")

const openOn = (url: string, options: { limits?: LimitsPolicy; connectTimeoutMs?: number } = {}) =>
  Layer.build(PgDatabaseLayer({ url, maxConnections: 3, limits: policy, ...options }))

/** The same database, over a direct connection. */
const direct = (url: string): string => {
  const past = new URL(process.env["TEST_DATABASE_URL"] ?? "")
  past.pathname = new URL(url).pathname
  return past.href
}

/** The number of other backends of the database that run a statement at the moment. */
const busyBackends = (url: string) =>
  Effect.promise(async () => {
    const client = new pg.Client({ connectionString: direct(url) })
    await client.connect()
    const { rows } = await client.query<{ busy: number }>(
      `SELECT count(*)::integer AS busy FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle' AND backend_type = 'client backend'`
    )
    await client.end()
    return rows[0]?.busy
  })

const until = <A>(ask: Effect.Effect<A>, isRight: (value: A) => boolean): Effect.Effect<void> =>
  Effect.flatMap(ask, (value) =>
    isRight(value) ? Effect.void : Effect.andThen(Effect.sleep("20 millis"), until(ask, isRight))
  )

/** Runs work on a fiber of its own, so that it does not join the transaction around it. */
const outside = <A, E>(work: Effect.Effect<A, E>) => Effect.promise(() => Effect.runPromiseExit(work))

const run = <A, E>(work: Effect.Effect<A, E, import("effect").Scope.Scope>) => Effect.runPromise(Effect.scoped(work))

describe("an error of the database", () => {
  it.each(["57014", "55P03", "25006", "25P03", "25P04", "55000", "40001", "40P01", "08006", "57P01", "53300", "53100"])(
    "%s passes, and its work is worth trying again",
    (sqlState) => expect(new DatabaseError({ sqlState, cause: "" }).retryable).toBe(true)
  )
  it.each(["23505", "23514", "22021", "42501", "42P01", "58030", "XX000", "25P02", "25001"])(
    "%s does not pass",
    (sqlState) => expect(new DatabaseError({ sqlState, cause: "" }).retryable).toBe(false)
  )
})

const places = [
  { name: "Postgres", url: freshPostgres, present: hasPostgres },
  { name: "Postgres behind a pooler", url: behindPooler, present: hasPostgres && hasPooler }
]

for (const { name, url: makeUrl, present } of places) {
  // Each has a database of its own, and mostly waits.
  describe.runIf(present)(`limits on ${name}`, { concurrent: true }, () => {
    it("a statement, a transaction and a script that take too long are ended in the server", () =>
      run(
        Effect.gen(function* () {
          const url = yield* makeUrl
          const context = yield* openOn(url)
          const { asService, asUser, statement } = Context.get(context, Database)
          const owner = Context.get(context, DatabaseOwner)
          const SLEEP = "SELECT pg_sleep(60)"
          const tooLong = [
            statement(SLEEP),
            asService((sql) => sql.query(SLEEP)),
            asUser("ann", (sql) => sql.query(SLEEP)),
            owner.asOwner((sql) => sql.script(SLEEP)),
            owner.execute(SLEEP),
            owner.execute("SELECT pg_sleep($1::integer)", [60]),
            owner.execute(`BEGIN; ${SLEEP}; COMMIT`)
          ]
          // The roles come with the migrations, which this database does without.
          yield* Effect.promise(() => administer("SELECT 1"))
          for (const one of tooLong) {
            const failed = Effect.flip(one as Effect.Effect<unknown, DatabaseError>)
            // The server's answer takes two seconds, so the client gives up.
            const ended = Effect.repeat(failed, { until: ({ sqlState }) => sqlState !== undefined, times: 10 })
            expect(yield* ended).toMatchObject({ sqlState: "57014", retryable: true })
          }
          expect(yield* roomy(statement("SELECT 1 AS one"))).toEqual([{ one: 1 }])
          yield* until(busyBackends(url), (busy) => busy === 0)
        })
      ))

    it("what is given up on here is cancelled there, so that statements never pile up", () =>
      run(
        Effect.gen(function* () {
          const url = yield* makeUrl
          const { statement } = Context.get(yield* openOn(url), Database)
          // Sent alone, nothing bounds them in the server.
          yield* roomy(statement("SELECT 1"))
          const sleeping = forPurpose("commit")(statement("SELECT pg_sleep(600)"))
          const exits = yield* Effect.all(
            [1, 2, 3].map(() => Effect.exit(sleeping)),
            { concurrency: "unbounded" }
          )
          expect(exits.every(Exit.isFailure)).toBe(true)
          yield* until(busyBackends(url), (busy) => busy === 0)
          expect(yield* roomy(statement("SELECT 1 AS one"))).toEqual([{ one: 1 }])
        })
      ))

    it("what is interrupted here is cancelled there", () =>
      run(
        Effect.gen(function* () {
          const url = yield* makeUrl
          const { statement } = Context.get(yield* openOn(url, { limits: LIMITS }), Database)
          const asking = yield* Effect.forkChild(statement("SELECT pg_sleep(600)"))
          yield* until(busyBackends(url), (busy) => busy === 1)
          yield* Fiber.interrupt(asking)
          yield* until(busyBackends(url), (busy) => busy === 0)
        })
      ))

    it("a transaction whose owner falls silent is ended, and its locks are free", () =>
      run(
        Effect.gen(function* () {
          const url = yield* makeUrl
          const context = yield* openOn(url, { limits: policyOf({ ...ROOMY, silenceMs: SHORT.silenceMs }) })
          const { statement } = Context.get(context, Database)
          const owner = Context.get(context, DatabaseOwner)
          yield* statement("CREATE TABLE public.rows (id integer PRIMARY KEY)")
          yield* statement("INSERT INTO public.rows VALUES (1)")
          const lock = "SELECT FROM public.rows FOR UPDATE"
          const silent = owner.asOwner((sql) =>
            Effect.gen(function* () {
              yield* sql.query(lock)
              yield* until(outside(statement(lock)), Exit.isSuccess)
              return yield* sql.query("SELECT 1")
            })
          )
          expect((yield* Effect.flip(silent)).retryable).toBe(true)
          expect(yield* statement("SELECT 1 AS one")).toEqual([{ one: 1 }])
        })
      ))

    it("if a lock is not free in time, the waiting call fails as worth trying again", () =>
      run(
        Effect.gen(function* () {
          const url = yield* makeUrl
          const context = yield* openOn(url, { limits: policyOf({ ...ROOMY, lockMs: SHORT.lockMs }) })
          const { statement } = Context.get(context, Database)
          const owner = Context.get(context, DatabaseOwner)
          yield* statement("CREATE TABLE public.rows (id integer PRIMARY KEY)")
          yield* statement("INSERT INTO public.rows VALUES (1)")
          yield* forPurpose("schema")(
            owner.asOwner((sql) =>
              Effect.gen(function* () {
                yield* sql.query("SELECT FROM public.rows FOR UPDATE")
                const exit = yield* outside(Effect.flip(statement("UPDATE public.rows SET id = 2")))
                expect(Exit.getSuccess(exit)).toMatchObject({ value: { sqlState: "55P03", retryable: true } })
              })
            )
          )
        })
      ))

    it("statements mean the same with any settings of the database", () =>
      run(
        Effect.gen(function* () {
          const url = yield* makeUrl
          const database = new URL(url).pathname.slice(1)
          const settings = [
            "DateStyle = 'SQL, DMY'",
            "IntervalStyle = 'sql_standard'",
            "TimeZone = 'Asia/Kathmandu'",
            "extra_float_digits = -15",
            "search_path = 'public, pg_catalog'",
            "default_transaction_isolation = 'serializable'"
          ]
          yield* Effect.promise(() =>
            administer(settings.map((setting) => `ALTER DATABASE ${database} SET ${setting};`).join(" "))
          )
          const context = yield* openOn(url, { limits: LIMITS })
          const { statement } = Context.get(context, Database)
          const owner = Context.get(context, DatabaseOwner)
          const ASK = `SELECT current_setting('DateStyle') AS date, current_setting('IntervalStyle') AS interval,
            current_setting('TimeZone') AS zone, current_setting('extra_float_digits') AS digits,
            current_setting('search_path') AS path, current_setting('transaction_isolation') AS isolation`
          const meant = { interval: "postgres", zone: "UTC", digits: "1", path: "pg_catalog, pg_temp" }
          const asked = [
            statement(ASK),
            owner.asOwner((sql) => sql.query(ASK)),
            owner.execute(`${ASK} WHERE $1`, [true])
          ]
          for (const one of asked) {
            const [answer] = yield* one
            expect(answer).toMatchObject({ ...meant, isolation: "read committed" })
            expect(answer?.["date"]).toMatch(/^ISO/)
          }
          // Sent alone only if the session means the same; other settings do not affect these statements.
          const [alone] = yield* forPurpose("commit")(statement(ASK))
          expect(alone).toMatchObject({ isolation: "read committed", digits: "1", date: expect.stringMatching(/^ISO/) })
          expect((yield* owner.execute(`BEGIN; ${ASK}; COMMIT`))[0]).toMatchObject(meant)
        })
      ))

    it("a database that takes no writes for a while is asked on a new connection", () =>
      run(
        Effect.gen(function* () {
          const url = yield* makeUrl
          const database = new URL(url).pathname.slice(1)
          const { asService, statement } = Context.get(yield* openOn(url, { limits: LIMITS }), Database)
          yield* statement("CREATE TABLE public.rows (id integer PRIMARY KEY)")
          yield* Effect.promise(() => administer(`ALTER DATABASE ${database} SET default_transaction_read_only = on`))
          yield* Effect.promise(() =>
            administer(
              `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${database}' AND pid <> pg_backend_pid()`
            )
          )
          const write = statement("INSERT INTO public.rows VALUES (1)")
          const refused = yield* Effect.flip(Effect.retry(write, { while: ({ sqlState }) => sqlState !== "25006" }))
          expect(refused.retryable).toBe(true)
          yield* Effect.promise(() => administer(`ALTER DATABASE ${database} RESET default_transaction_read_only`))
          if (name === "Postgres") yield* write
          expect(yield* Effect.exit(asService((sql) => sql.query("SELECT 1")))).toBeDefined()
        })
      ))
  })
}

describe.runIf(hasPostgres)("a network that falls silent", { concurrent: true }, () => {
  const networks: Array<SilentNetwork> = []
  afterAll(() => Promise.all(networks.map((network) => network[Symbol.asyncDispose]())))

  it("fails what waits, and everything recovers as soon as connections work again", () =>
    run(
      Effect.gen(function* () {
        const url = yield* freshPostgres
        const network = yield* Effect.promise(() => SilentNetwork.open(url))
        networks.push(network)
        const context = yield* openOn(network.through(url), { connectTimeoutMs: 1_000 })
        const { statement } = Context.get(context, Database)
        const owner = Context.get(context, DatabaseOwner)
        const ask = statement("SELECT 1 AS one")
        // A connection has to open within a second.
        const works = Effect.retry(roomy(ask), { while: ({ retryable }) => retryable, times: 20 })
        const warm = Effect.all([works, works, works], { concurrency: "unbounded" })
        yield* warm
        const held = yield* Effect.forkChild(
          owner.asOwner((sql) =>
            Effect.gen(function* () {
              yield* sql.query("SELECT 1")
              network.fallSilent()
              return yield* sql.query("SELECT 1")
            })
          )
        )
        expect(Exit.isFailure(yield* Fiber.await(held))).toBe(true)
        const exits = yield* Effect.all(
          Array.from({ length: 10 }, () => Effect.exit(ask)),
          { concurrency: "unbounded" }
        )
        expect(exits.every(Exit.isFailure)).toBe(true)
        network.workAgain()
        expect(yield* works).toEqual([{ one: 1 }])
        yield* warm
      })
    ))

  it("idle connections that may have been cut off are not used again", () =>
    run(
      Effect.gen(function* () {
        const url = yield* freshPostgres
        const network = yield* Effect.promise(() => SilentNetwork.open(url))
        networks.push(network)
        const context = yield* openOn(network.through(url), { connectTimeoutMs: 60_000 })
        const { statement } = Context.get(context, Database)
        const ask = statement("SELECT pg_backend_pid() AS pid")
        // One that meets a connection that is cut off waits for a minute.
        const works = roomy(ask)
        yield* Effect.all([works, works, works], { concurrency: "unbounded" })
        network.fallSilent()
        network.workAgain()
        // The first meets a connection that is cut off; the others are spared.
        expect(Exit.isFailure(yield* Effect.exit(ask))).toBe(true)
        yield* Effect.timeout(Effect.all([works, works, works], { concurrency: "unbounded" }), "50 seconds")
      })
    ))
})
