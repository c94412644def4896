import { createParley, type Parley } from "@parley/core"
import { TransactionConflict, TransactionNotJoined } from "@parley/core/adapter"
import { Effect, Exit, Scope } from "effect"
import pg from "pg"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { type OpenDatabase, openDatabase } from "../../src/openDatabase.ts"
import { hasPostgres } from "../databases.ts"
import { ordinaryLogin } from "../ordinaryLogin.ts"

const nothing = {
  models: { resolve: () => Effect.die("No model is asked here.") },
  parser: { parse: () => Effect.die("No document is read here.") },
  work: false
} as const

let scope: Scope.Closeable
/** The application's pool, of one client: a client that is left in a transaction is the next caller's. */
let pool: pg.Pool
let others: pg.Pool
let database: OpenDatabase
let parley: Parley
let userId: string

const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error
  )

const order = (tx: pg.PoolClient) => tx.query("INSERT INTO orders (user_id) VALUES ($1)", [userId])

/** The committed state, as a connection outside the pool reads it. */
const committed = async () => {
  const { rows } = await others.query("SELECT count(*)::int AS orders FROM orders WHERE user_id = $1", [userId])
  const { total } = await parley.credits.history({ userId, limit: 1, offset: 0, type: "grant" })
  return { orders: rows[0].orders, grants: total }
}

/** Whether the pool's client is in a transaction: its next statement would be part of it. */
const isInTransaction = async () => {
  await pool.query("SELECT set_config('test.left', 'open', true)")
  return (await pool.query("SELECT current_setting('test.left', true) AS left")).rows[0].left === "open"
}

const nothingLeft = async () => {
  expect(await isInTransaction()).toBe(false)
  expect(await committed()).toEqual({ orders: 0, grants: 0 })
}

describe.runIf(hasPostgres)("parley.transaction", () => {
  beforeAll(async () => {
    scope = Effect.runSync(Scope.make())
    const url = await Effect.runPromise(Scope.provide(ordinaryLogin, scope))
    others = new pg.Pool({ connectionString: url, max: 5 })
    pool = new pg.Pool({ connectionString: url, max: 1 })
    pool.on("error", () => undefined)
    await others.query("CREATE TABLE orders (id bigserial PRIMARY KEY, user_id text NOT NULL)")
    database = await openDatabase({ url })
    parley = await createParley({ ...database, ...nothing })
  })
  beforeEach(async () => {
    userId = crypto.randomUUID()
    await parley.credits.balance(userId)
  })
  afterAll(async () => {
    await parley.close()
    await database.close()
    await others.end()
    await pool.end()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })

  it("commits the caller's rows and the credits together, and resolves to what the work resolved to", async () => {
    const result = await parley.transaction(pool, async (tx, credits) => {
      const { rowCount } = await order(tx)
      await credits.grant({ userId, amount: 5, key: "k" })
      expect(await committed()).toEqual({ orders: 0, grants: 0 })
      return rowCount
    })
    expect(result).toBe(1)
    expect(await committed()).toEqual({ orders: 1, grants: 1 })
    expect(await isInTransaction()).toBe(false)
  })

  it("opens the account of a person who has not signed in yet, if it commits", async () => {
    const given = (commits: boolean) =>
      parley.transaction(pool, async (tx, credits) => {
        await credits.grant({ userId, amount: 5, key: "k" })
        await credits.changeTier({ userId, tier: "pro", key: "k" })
        if (!commits) throw new Error("out of stock")
      })
    userId = crypto.randomUUID()
    expect(await rejection(given(false))).toMatchObject({ message: "out of stock" })
    expect((await parley.credits.history({ userId, limit: 1, offset: 0, type: undefined })).total).toBe(0)
    await given(true)
    const { allowance, topup } = await parley.credits.balance(userId)
    expect([allowance > 100, topup]).toEqual([true, 5])
    expect((await parley.credits.verify()).differences).toEqual([])
  })

  it("rolls everything back where a credit call is refused, and leaves no transaction to the pool's next user", async () => {
    const refused = parley.transaction(pool, async (tx, credits) => {
      await order(tx)
      await credits.grant({ userId, amount: 5, key: "k" })
      await credits.grant({ userId, amount: 6, key: "k" })
    })
    expect(await rejection(refused)).toMatchObject({ code: "idempotency_conflict" })
    await nothingLeft()
  })

  it("rolls everything back where the work fails, and rejects with its error", async () => {
    const failure = new Error("out of stock")
    const failed = parley.transaction(pool, async (tx, credits) => {
      await order(tx)
      await credits.grant({ userId, amount: 5, key: "k" })
      throw failure
    })
    expect(await rejection(failed)).toBe(failure)
    await nothingLeft()
  })

  it("commits what is left where the work handles a refusal itself", async () => {
    await parley.transaction(pool, async (tx, credits) => {
      await order(tx)
      expect(await rejection(credits.grant({ userId, amount: -1, key: "k" }))).toMatchObject({ code: "invalid_amount" })
    })
    expect(await committed()).toEqual({ orders: 1, grants: 0 })
  })

  it("rejects where a statement failed and the work went on, since nothing was committed", async () => {
    const swallowed = parley.transaction(pool, async (tx, credits) => {
      await credits.grant({ userId, amount: 5, key: "k" })
      await order(tx)
      await rejection(tx.query("SELECT 1 / 0"))
    })
    const error = await rejection(swallowed)
    expect(error).toBeInstanceOf(TransactionNotJoined)
    expect(error).toMatchObject({ problem: "failed" })
    await nothingLeft()
  })

  it("waits for credit calls that the work did not await: one that is refused undoes all", async () => {
    await parley.transaction(pool, async (tx, credits) => {
      await order(tx)
      void credits.grant({ userId, amount: 1, key: "a" })
      void credits.grant({ userId, amount: 2, key: "b" })
    })
    expect(await committed()).toEqual({ orders: 1, grants: 2 })
    const refused = parley.transaction(pool, async (tx, credits) => {
      await order(tx)
      void credits.grant({ userId, amount: 1, key: "c" })
      void credits.grant({ userId, amount: -1, key: "d" })
    })
    expect(await rejection(refused)).toMatchObject({ code: "invalid_amount" })
    expect(await committed()).toEqual({ orders: 1, grants: 2 })
    expect(await isInTransaction()).toBe(false)
  })

  it("runs credit calls one after another on its connection, also where they are made at once", async () => {
    await parley.transaction(pool, async (_, credits) => {
      const grants = Array.from({ length: 10 }, (_, place) => credits.grant({ userId, amount: 1, key: `k${place}` }))
      await Promise.all([...grants, credits.balance(userId)])
    })
    expect(await committed()).toEqual({ orders: 0, grants: 10 })
    expect((await parley.credits.verify()).differences).toEqual([])
  })

  it("refuses a credit call after its end, which would run outside the transaction", async () => {
    let kept: { grant(input: { userId: string; amount: number; key: string }): Promise<unknown> } | undefined
    await parley.transaction(pool, async (_, credits) => {
      kept = credits
    })
    const late = kept?.grant({ userId, amount: 5, key: "late" }) ?? Promise.resolve()
    expect(await rejection(late)).toMatchObject({ code: "transaction_not_joined", problem: "not-open" })
    await nothingLeft()
  })

  it.each(["REPEATABLE READ", "SERIALIZABLE"])(
    "names a serialization failure at %s, rolls back, and succeeds when it is run again",
    async (level) => {
      let tries = 0
      const run = () =>
        parley.transaction(pool, async (tx, credits) => {
          await tx.query(`SET TRANSACTION ISOLATION LEVEL ${level}`)
          await order(tx)
          if (++tries === 1) await parley.credits.grant({ userId, amount: 1, key: "between" })
          await credits.grant({ userId, amount: 2, key: "order" })
        })
      const error = await rejection(run())
      expect(error).toBeInstanceOf(TransactionConflict)
      expect(error).toMatchObject({ code: "transaction_conflict", retryable: true })
      expect(await committed()).toEqual({ orders: 0, grants: 1 })
      expect(await isInTransaction()).toBe(false)
      await run()
      expect(await committed()).toEqual({ orders: 1, grants: 2 })
    }
  )

  it("names a conflict over the caller's own rows, at a statement and at COMMIT", async () => {
    await others.query("INSERT INTO orders (user_id) VALUES ($1)", [userId])
    const byStatement = parley.transaction(pool, async (tx) => {
      await tx.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
      await tx.query("SELECT count(*) FROM orders")
      await others.query("UPDATE orders SET user_id = user_id WHERE user_id = $1", [userId])
      await tx.query("UPDATE orders SET user_id = user_id WHERE user_id = $1", [userId])
    })
    expect(await rejection(byStatement)).toBeInstanceOf(TransactionConflict)
    // Write skew: each transaction reads a row that the other writes, which only COMMIT detects.
    const atCommit = parley.transaction(pool, async (tx) => {
      const skew = "INSERT INTO orders (user_id) SELECT $1 || count(*) FROM orders WHERE user_id = $2"
      await tx.query("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE")
      await tx.query(skew, [`${userId}a`, `${userId}b0`])
      const other = await others.connect()
      await other.query("BEGIN ISOLATION LEVEL SERIALIZABLE")
      await other.query(skew, [`${userId}b`, `${userId}a0`])
      await other.query("COMMIT")
      other.release()
    })
    expect(await rejection(atCommit)).toBeInstanceOf(TransactionConflict)
    expect(await isInTransaction()).toBe(false)
  })

  it("names a deadlock with another transaction", async () => {
    const [first, second] = [crypto.randomUUID(), crypto.randomUUID()]
    await Promise.all([parley.credits.balance(first), parley.credits.balance(second)])
    const other = await others.connect()
    await other.query("BEGIN; SET LOCAL lock_timeout = '20s'")
    await parley.in(other).credits.grant({ userId: second, amount: 1, key: "k" })
    let crossing: Promise<unknown> = Promise.resolve()
    const error = await rejection(
      parley.transaction(pool, async (tx, credits) => {
        await tx.query("SET LOCAL lock_timeout = '20s'")
        await credits.grant({ userId: first, amount: 1, key: "k" })
        crossing = rejection(parley.in(other).credits.grant({ userId: first, amount: 1, key: "l" })).finally(() =>
          other.query("ROLLBACK")
        )
        await credits.grant({ userId: second, amount: 1, key: "l" })
      })
    )
    // Postgres ends one of the two: which one, is its choice.
    const ends = [error, await crossing].filter((end) => end !== undefined)
    other.release()
    expect(ends).toEqual([expect.any(TransactionConflict)])
    expect(await isInTransaction()).toBe(false)
  })

  it("closes a client whose connection was lost, and the pool opens another", async () => {
    const lost = parley.transaction(pool, async (tx, credits) => {
      const { pid } = (await tx.query("SELECT pg_backend_pid() AS pid")).rows[0]
      await order(tx)
      await others.query("SELECT pg_terminate_backend($1)", [pid])
      await credits.grant({ userId, amount: 5, key: "k" })
    })
    expect(await rejection(lost)).toMatchObject({ code: "storage_unavailable", retryable: true })
    await nothingLeft()
  })
})
