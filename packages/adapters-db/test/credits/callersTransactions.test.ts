import { type CallersTransaction, createParley, openInMemory, type Parley } from "@parley/core"
import { TransactionConflict, TransactionNotJoined } from "@parley/core/adapter"
import { Effect, Exit, Scope } from "effect"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type OpenDatabase, openDatabase } from "../../src/openDatabase.ts"
import { freshPostgres, hasPostgres } from "../databases.ts"
import { queryBuilder } from "./callersClients.ts"
import { ordinaryLogin, ownerOf } from "../ordinaryLogin.ts"

const nothing = {
  models: { resolve: () => Effect.die("No model is asked here.") },
  parser: { parse: () => Effect.die("No document is read here.") },
  work: false
} as const

let scope: Scope.Closeable
let pool: pg.Pool
let database: OpenDatabase
let parley: Parley

const clients: ReadonlyArray<readonly [string, (client: pg.PoolClient) => CallersTransaction]> = [
  ["a client of pg", (client) => client],
  ["a query builder", queryBuilder]
]

/** Runs work on a client of the caller's pool, and rolls back an open transaction. */
const onClient = async <A>(work: (client: pg.PoolClient) => Promise<A>): Promise<A> => {
  const client = await pool.connect()
  try {
    return await work(client)
  } finally {
    await client.query("ROLLBACK").catch(() => undefined)
    client.release()
  }
}

const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error
  )

const grantsOf = async (userId: string) =>
  (await parley.credits.history({ userId, limit: 100, offset: 0, type: "grant" })).total

const newUser = async () => {
  const userId = crypto.randomUUID()
  await parley.credits.balance(userId)
  return userId
}

const ordersOf = async (userId: string) =>
  Number((await pool.query(`SELECT count(*) FROM orders WHERE user_id = $1`, [userId])).rows[0].count)

const order = (client: pg.PoolClient, userId: string) =>
  client.query("INSERT INTO orders (user_id) VALUES ($1)", [userId])

/** Session settings that a caller may have set, and may rely on. */
const SESSION = `SELECT current_user AS "user", current_setting('role') AS role, current_setting('search_path') AS path,
  current_setting('DateStyle') AS dates, current_setting('TimeZone') AS zone, current_setting('lock_timeout') AS locks,
  coalesce(current_setting('parley.user_id', true), '') AS person`

describe.runIf(hasPostgres)("a transaction of the caller's", () => {
  beforeAll(async () => {
    scope = Effect.runSync(Scope.make())
    const url = await Effect.runPromise(Scope.provide(ordinaryLogin, scope))
    pool = new pg.Pool({ connectionString: url, max: 20 })
    await pool.query("CREATE TABLE orders (id bigserial PRIMARY KEY, user_id text NOT NULL)")
    database = await openDatabase({ pool })
    parley = await createParley({ ...database, ...nothing })
  })
  afterAll(async () => {
    await parley.close()
    await database.close()
    await pool.end()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })

  it.each(clients)(
    "on %s that is rolled back leaves no grant, and committed exactly one; 20 at once",
    async (_, as) => {
      const users = await Promise.all(Array.from({ length: 20 }, newUser))
      const rounds = users.map((userId, place) =>
        onClient(async (client) => {
          await client.query("BEGIN")
          await order(client, userId)
          const given = await parley.in(as(client)).credits.grant({ userId, amount: 500, key: `order-${userId}` })
          expect(given).toMatchObject({ type: "grant", amount: 500, createdAt: expect.any(Number) })
          await client.query(place % 2 === 0 ? "COMMIT" : "ROLLBACK")
        })
      )
      await Promise.all(rounds)
      for (const [place, userId] of users.entries()) {
        const expected = place % 2 === 0 ? 1 : 0
        expect([await grantsOf(userId), await ordersOf(userId)]).toEqual([expected, expected])
        expect((await parley.credits.balance(userId)).topup).toBe(expected * 500)
      }
      expect((await parley.credits.verify()).differences).toEqual([])
    }
  )

  it.each(clients)("on %s opens a missing account for any caller that commits", async (_, as) => {
    const userId = crypto.randomUUID()
    await onClient(async (client) => {
      await client.query("BEGIN")
      expect((await parley.in(as(client)).credits.balance(userId)).topup).toBe(0)
      // Nothing is left for the end of the transaction that the caller's role could not do.
      await client.query("SET LOCAL ROLE parley_user")
      await client.query("COMMIT")
    })
    expect((await parley.credits.history({ userId, limit: 10, offset: 0, type: undefined })).total).toBe(1)
  })

  it("that opened an account and is rolled back leaves none behind, and the next one opens it", async () => {
    const userId = crypto.randomUUID()
    await onClient(async (client) => {
      await client.query("BEGIN")
      await parley.in(client).credits.balance(userId)
      await parley.in(client).credits.grant({ userId, amount: 5, key: "k" })
      await client.query("ROLLBACK")
    })
    await onClient(async (client) => {
      await client.query("BEGIN")
      expect((await parley.in(client).credits.balance(userId)).topup).toBe(0)
      await client.query("ROLLBACK")
    })
    expect((await parley.credits.balance(userId)).topup).toBe(0)
    await parley.credits.grant({ userId, amount: 5, key: "k" })
    expect((await parley.credits.balance(userId)).topup).toBe(5)
    expect((await parley.credits.verify()).differences).toEqual([])
  })

  it("grants once for a key, of 20 transactions that use it at once and commit", async () => {
    const userId = await newUser()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        onClient(async (client) => {
          await client.query("BEGIN")
          const given = await parley.in(client).credits.grant({ userId, amount: 7, key: "the order" })
          await client.query("COMMIT")
          return given.id
        })
      )
    )
    expect(new Set(answers).size).toBe(1)
    expect(await grantsOf(userId)).toBe(1)
  })

  it("sees its own grant, and no other connection does before the commit", async () => {
    const userId = await newUser()
    await onClient(async (client) => {
      await client.query("BEGIN")
      const { credits } = parley.in(client)
      await credits.grant({ userId, amount: 500, key: "own" })
      expect((await credits.balance(userId)).topup).toBe(500)
      expect((await parley.credits.balance(userId)).topup).toBe(0)
      const hold = await credits.reserve({ userId, key: "work", amount: 300, source: "meter:test" })
      expect(hold).toMatchObject({ held: 300, state: "open" })
      const paid = await credits.settle(
        { userId, key: "work" },
        { lines: [{ label: "pages", quantity: 2, unitPrice: 50 }] }
      )
      expect(paid).toMatchObject({ _tag: "Settled", receipt: { charged: 100 } })
      await client.query("COMMIT")
    })
    expect((await parley.credits.verify()).differences).toEqual([])
    expect((await parley.credits.history({ userId, limit: 10, offset: 0, type: "usage" })).total).toBe(1)
  })

  it.each([
    ["succeeds", "done", 500],
    ["is refused", "refused", -1]
  ])("has its role, path and settings again after a call that %s", async (_, key, amount) => {
    const userId = await newUser()
    await onClient(async (client) => {
      await client.query("SET DateStyle = 'SQL, DMY'; SET TimeZone = 'Asia/Kathmandu'")
      await client.query("BEGIN")
      await client.query("SET LOCAL ROLE parley_user; SET LOCAL search_path = 'elsewhere, public'")
      await client.query("SET LOCAL lock_timeout = '7s'; SELECT set_config('parley.user_id', 'somebody', true)")
      const before = (await client.query(SESSION)).rows
      const error = await rejection(parley.in(client).credits.grant({ userId, amount, key }))
      expect((error as { code?: string } | undefined)?.code).toBe(amount < 0 ? "invalid_amount" : undefined)
      expect((await client.query(SESSION)).rows).toEqual(before)
      await client.query("COMMIT")
      const after = (await client.query(SESSION)).rows[0]
      expect(after).toMatchObject({ role: "none", locks: "0", person: "", dates: "SQL, DMY" })
      await client.query("RESET ALL")
    })
    expect(await grantsOf(userId)).toBe(amount < 0 ? 0 : 1)
  })

  it.each(clients)("on %s goes on after a refusal, with the caller's rows and its savepoints", async (_, as) => {
    const userId = await newUser()
    await onClient(async (client) => {
      await client.query("BEGIN")
      await order(client, userId)
      await client.query("SAVEPOINT parley_join")
      await order(client, userId)
      const { credits } = parley.in(as(client))
      await credits.grant({ userId, amount: 5, key: "first" })
      expect(await rejection(credits.grant({ userId, amount: 6, key: "first" }))).toMatchObject({
        code: "idempotency_conflict"
      })
      await client.query("ROLLBACK TO SAVEPOINT parley_join")
      await credits.grant({ userId, amount: 7, key: "second" })
      await client.query("COMMIT")
    })
    expect([await ordersOf(userId), await grantsOf(userId)]).toEqual([1, 1])
    expect((await parley.credits.balance(userId)).topup).toBe(7)
  })

  it.each(["REPEATABLE READ", "SERIALIZABLE"])(
    "at %s grants, or fails whole where others were faster",
    async (level) => {
      const userId = await newUser()
      const error = await onClient(async (client) => {
        await client.query(`BEGIN ISOLATION LEVEL ${level}`)
        await client.query("SELECT count(*) FROM orders")
        await parley.credits.grant({ userId, amount: 1, key: "between" })
        return rejection(parley.in(client).credits.grant({ userId, amount: 2, key: "late" }))
      })
      expect(error).toBeInstanceOf(TransactionConflict)
      expect(error).toMatchObject({ code: "transaction_conflict", retryable: true })
      await onClient(async (client) => {
        await client.query(`BEGIN ISOLATION LEVEL ${level}`)
        await parley.in(client).credits.grant({ userId, amount: 2, key: "late" })
        await client.query("COMMIT")
      })
      expect((await parley.credits.balance(userId)).topup).toBe(3)
    }
  )

  it.each(clients)("on %s that is not open, or has failed, is named for it", async (_, as) => {
    const userId = await newUser()
    const grant = (client: pg.PoolClient) => parley.in(as(client)).credits.grant({ userId, amount: 5, key: "k" })
    await onClient(async (client) => {
      expect(await rejection(grant(client))).toMatchObject({ code: "transaction_not_joined", problem: "not-open" })
      await client.query("BEGIN")
      await client.query("SELECT 1 / 0").catch(() => undefined)
      const error = await rejection(grant(client))
      expect(error).toBeInstanceOf(TransactionNotJoined)
      expect(error).toMatchObject({ problem: "failed" })
    })
    expect(await grantsOf(userId)).toBe(0)
  })

  it("whose connection is lost leaves no grant, and says that it may be tried again", async () => {
    const userId = await newUser()
    const client = new pg.Client({ connectionString: pool.options.connectionString })
    client.on("error", () => undefined)
    await client.connect()
    await client.query("BEGIN")
    await parley.in(client).credits.grant({ userId, amount: 5, key: "k" })
    const { pid } = (await client.query("SELECT pg_backend_pid() AS pid")).rows[0]
    await pool.query("SELECT pg_terminate_backend($1)", [pid])
    const error = await rejection(parley.in(client).credits.grant({ userId, amount: 5, key: "other" }))
    expect(error).toMatchObject({ code: "storage_unavailable", retryable: true })
    expect(await grantsOf(userId)).toBe(0)
    await client.end().catch(() => undefined)
  })

  it("waits no longer than three seconds for an account that another transaction has", async () => {
    const userId = await newUser()
    await onClient(async (first) => {
      await first.query("BEGIN")
      await parley.in(first).credits.grant({ userId, amount: 5, key: "k" })
      await onClient(async (second) => {
        await second.query("BEGIN; SET LOCAL lock_timeout = '20ms'")
        const error = await rejection(parley.in(second).credits.grant({ userId, amount: 5, key: "l" }))
        expect(error).toMatchObject({ code: "storage_unavailable", retryable: true })
        expect((await second.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }])
      })
    })
  })

  it("of a pool that Parley was given is left to its owner: closing Parley ends no client of it", async () => {
    const given = new pg.Pool({ connectionString: pool.options.connectionString, max: 2 })
    const lent = await openDatabase({ pool: given, migrate: false })
    await lent.checkReadiness()
    await lent.close()
    expect((await given.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }])
    expect(given.listenerCount("error")).toBe(0)
    await given.end()
  })

  it("is left open by nothing that fails as it begins: the pool's client is clean for its owner", async () => {
    const url = await Effect.runPromise(
      Scope.provide(
        Effect.flatMap(freshPostgres, (fresh) => ownerOf(fresh, "")),
        scope
      )
    )
    const stranger = new pg.Pool({ connectionString: url, max: 2 })
    const lent = await openDatabase({ pool: stranger, migrate: false })
    // Its login may not act as Parley's roles.
    const error = await rejection(Effect.runPromise(lent.chats.list({ userId: "ann", limit: 1, offset: 0 })))
    expect(error).toMatchObject({ _tag: "StorageFailed" })
    expect((error as Error).cause).toMatchObject({ sqlState: "42501" })
    expect((await stranger.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }])
    await lent.close()
    await stranger.end()
  })

  it("of a pool of one connection is refused, which would wait for itself", async () => {
    const small = new pg.Pool({ connectionString: pool.options.connectionString, max: 1 })
    await expect(openDatabase({ pool: small })).rejects.toThrow("Parley needs 2")
    await small.end()
  })

  it("runs as the role that a session of the pool had, and relies on none of its settings", async () => {
    const userId = await newUser()
    const odd = new pg.Pool({ connectionString: pool.options.connectionString, max: 2 })
    odd.on("connect", (client) => {
      void client.query("SET SESSION search_path = nowhere; SET ROLE parley_user; SET DateStyle = 'SQL'")
    })
    const other = await openDatabase({ pool: odd, migrate: false })
    const second = await createParley({ ...other, ...nothing })
    await second.credits.grant({ userId, amount: 5, key: "k" })
    expect((await second.credits.balance(userId)).topup).toBe(5)
    expect((await odd.query(SESSION)).rows[0]).toMatchObject({ role: "parley_user", path: "nowhere" })
    await second.close()
    await other.close()
    await odd.end()
  })
})

it("is nothing that the stores in memory take part in", async () => {
  const other = await createParley({ ...(await openInMemory()), ...nothing })
  const call = other.in({ query: () => Promise.reject(new Error("asked")) }).credits.balance("ann")
  expect(await rejection(call)).toMatchObject({ code: "transaction_not_joined", problem: "not-supported" })
  await other.close()
})
