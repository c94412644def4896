import { newUserId, reservation, testedLedger } from "@parley/core/testing"
import { Deferred, Effect, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import { eraseMoved } from "../../src/cells/moving/eraseMoved.ts"
import { NOT_OF_A_COPY } from "../../src/cells/splitting/makeCell.ts"
import { enableFence } from "../../src/cells/moving/fence.ts"
import { countMove, finishMove, moveOwner, type MoveStep } from "../../src/cells/moving/moveOwner.ts"
import { type Cell, ownedDigests, ownerTables } from "../../src/cells/moving/ownerTables.ts"
import { MOVED } from "../../src/cells/routing/cellFailures.ts"
import { Database } from "../../src/database/Database.ts"
import { hasPostgres } from "../databases.ts"
import { ownEverything } from "../ownEverything.ts"
import { moveOf, newOwners, openWorld, verifyWorld, type World } from "./movingOwners.ts"

const tablesOf = ({ database, owner }: Cell) =>
  owner.asOwner((sql) => ownerTables(sql, database.schema, owner.schemaName))

/** Tables of a database itself, which a copy of it keeps: counts of its rows, and the tasks that it was given. */
const OF_A_COPY = [
  "access",
  "boss.version",
  "call_leases",
  "call_windows",
  "credit_openings",
  "erasures",
  "event_destinations",
  "lost_buckets",
  "migrations",
  "moved_owners",
  "spend_days",
  "this_cell",
  "task_runs"
]

/** The tables that describe a database, people who are not signed in, or counts for a while: their rows move with no owner. */
const STAYS: ReadonlyArray<string> = [...NOT_OF_A_COPY, ...OF_A_COPY]

/** A person with something in every table, in the first cell. */
const richOwner = Effect.fnUntraced(function* (world: World) {
  const owner = newUserId()
  const [cell] = world.cells
  const stores = world.servers[0]?.cells["a"] ?? expect.fail()
  yield* ownEverything(owner).pipe(Effect.provide(stores), Effect.provideService(Database, cell.database))
  const { schema, statement } = cell.database
  const event = `evt_${owner}`
  yield* statement(
    `INSERT INTO ${schema}.payment_events (event_id, kind, created_at, received_at, owner, state, note, payment, payload)
    VALUES ($2, 'x', now(), now(), $1, 'owed', 'by hand', $2, '{}')`,
    [owner, event]
  )
  yield* statement(`INSERT INTO ${schema}.payment_references VALUES ($2, $1)`, [owner, `customer:${owner}`])
  yield* statement(`INSERT INTO ${schema}.payment_waits VALUES ($2, $1)`, [event, `customer:${owner}`])
  return owner
})

/** The digests of an owner's rows, and the account. A move counts as a write of the account. */
const digestsIn = (cell: Cell, owner: string) =>
  Effect.gen(function* () {
    const tables = yield* tablesOf(cell)
    const digests = new Map<string, unknown>(yield* cell.owner.asOwner((sql) => ownedDigests(sql, tables, owner)))
    if (!digests.has("credit_accounts")) return digests
    const account = yield* cell.database.statement(
      `SELECT to_jsonb(a) - 'version' - 'moved' AS account FROM ${cell.database.schema}.credit_accounts a WHERE a.user_id = $1`,
      [owner]
    )
    return digests.set("credit_accounts", account)
  })

describe.runIf(hasPostgres)("an owner with something in every table", { timeout: 240_000 }, () => {
  it("moves to another database and back with every row, and leaves no effect of the rows twice", () =>
    Effect.gen(function* () {
      const world = yield* openWorld(1)
      const [a, b] = world.cells
      const [owner, neighbour] = [yield* richOwner(world), yield* richOwner(world)]
      const before = yield* digestsIn(a, owner)
      const filled = new Set(before.keys())
      const unfilled = (yield* tablesOf(a)).map(({ name }) => name).filter((name) => !filled.has(name))
      expect(unfilled).toEqual(["boss.job"])
      const others = yield* digestsIn(a, neighbour)
      const move = yield* moveOf(world, owner)
      const rows = yield* countMove(move)
      for (const [here, there] of [
        [a, b],
        [b, a]
      ] as const) {
        expect(yield* moveOwner(yield* moveOf(world, owner))).toBe(rows)
        expect(yield* digestsIn(there, owner)).toEqual(before)
        expect(yield* eraseMoved(here, 0)).toBe(1)
        expect(yield* digestsIn(here, owner)).toEqual(new Map())
        expect(yield* verifyWorld(world)).toEqual([])
      }
      expect(yield* digestsIn(a, neighbour)).toEqual(others)
      for (const { database } of world.cells) {
        // The objects of the owner's files live on.
        expect(yield* database.statement(`SELECT * FROM ${database.schema}.file_garbage`)).toEqual([])
      }
    }).pipe(Effect.scoped, Effect.runPromise))

  it("is refused every write of every fenced table where the owner does not live", () =>
    Effect.gen(function* () {
      const world = yield* openWorld(1)
      const [a] = world.cells
      const owner = yield* richOwner(world)
      yield* moveOwner(yield* moveOf(world, owner))
      const refused: Array<string | undefined> = []
      const tables = (yield* tablesOf(a)).filter(({ name }) => name !== "boss.job")
      for (const { belongs, columns, fences, sqlName } of tables) {
        const names = columns.join(", ")
        for (const text of [
          `UPDATE ${sqlName} AS copied_row__ SET ${columns[0]} = ${columns[0]} WHERE ${belongs}`,
          `DELETE FROM ${sqlName} AS copied_row__ WHERE ${belongs}`,
          `INSERT INTO ${sqlName} (${names}) OVERRIDING SYSTEM VALUE SELECT ${names} FROM ${sqlName} AS copied_row__ WHERE ${belongs}`
        ]) {
          const written = a.owner.asOwner((sql) => sql.query(text, [owner]))
          const outcome = yield* Effect.match(written, {
            onSuccess: () => "written",
            // Rows of the ledger are never changed or deleted, also those of owners who live here.
            onFailure: ({ sqlState }) => (sqlState === "23001" && !text.startsWith("INSERT") ? MOVED : sqlState)
          })
          const verb = text.split(" ")[0] ?? ""
          if (outcome !== MOVED && fences.some(({ on }) => on.includes(verb))) refused.push(`${outcome}: ${text}`)
        }
      }
      expect(refused).toEqual([])
    }).pipe(Effect.scoped, Effect.runPromise))

  it("every table is fenced and moves, or is one of those that stay", () =>
    Effect.gen(function* () {
      const world = yield* openWorld(0)
      const [a] = world.cells
      const all = yield* a.database.statement<{ name: string }>(
        `SELECT relname AS name FROM pg_class WHERE relnamespace = to_regnamespace($1) AND relkind IN ('r', 'p') ORDER BY 1`,
        [a.database.schema]
      )
      const moving = new Set((yield* tablesOf(a)).map(({ name }) => name))
      const staying = all.map(({ name }) => name).filter((name) => !moving.has(name))
      expect(STAYS).toEqual(expect.arrayContaining(staying))
      expect(yield* enableFence(a)).toEqual([])
      const partly = (yield* tablesOf(a)).filter(({ fences: [first] }) => first?.on !== "INSERT OR UPDATE OR DELETE")
      expect(partly.map(({ name }) => name)).toEqual([
        "credit_accounts",
        "credit_holds",
        "credit_idempotency",
        "credit_purchases",
        "credit_transactions",
        "credit_usage"
      ])
    }).pipe(Effect.scoped, Effect.runPromise))
})

describe.runIf(hasPostgres)("a move that does not take place", { timeout: 240_000 }, () => {
  it("is cancelled while its process still runs, which can no longer place the owner", () =>
    Effect.gen(function* () {
      const world = yield* openWorld(1)
      const [owner] = [...(yield* newOwners(world, 1)).keys()]
      const move = yield* moveOf(world, owner ?? expect.fail())
      const [copied, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const onStep = (step: MoveStep) =>
        step === "copied" ? Effect.andThen(Deferred.succeed(copied, undefined), Deferred.await(goOn)) : Effect.void
      const moving = yield* Effect.forkChild(Effect.flip(moveOwner({ ...move, onStep })))
      yield* Deferred.await(copied)
      const { schema, statement } = move.from.database
      const write = statement(`UPDATE ${schema}.credit_accounts SET version = version + 1 WHERE user_id = $1`, [
        move.owner
      ])
      expect((yield* Effect.flip(write)).sqlState).toBe(MOVED)
      expect((yield* finishMove(move)).cell).toBe("a")
      yield* write
      yield* Deferred.succeed(goOn, undefined)
      expect(yield* Fiber.join(moving)).toMatchObject({ _tag: "MoveRefused", problem: "superseded" })
      yield* write
      expect((yield* world.directory.placement(move.owner)).cell).toBe("a")
      // The next one takes the later rows with it.
      const before = yield* digestsIn(move.from, move.owner)
      yield* moveOwner(move)
      expect(yield* digestsIn(move.to, move.owner)).toEqual(before)
    }).pipe(Effect.scoped, Effect.runPromise))

  it("is refused if another move of the owner has begun since, which takes all rows", () =>
    Effect.gen(function* () {
      const world = yield* openWorld(1)
      const owner = yield* richOwner(world)
      const move = yield* moveOf(world, owner)
      const before = yield* digestsIn(move.from, owner)
      for (const at of ["arriving", "calm", "frozen"] as const) {
        const [reached, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const onStep = (step: MoveStep) =>
          step === at ? Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(goOn)) : Effect.void
        const there = yield* moveOf(world, owner)
        const first = yield* Effect.forkChild(Effect.flip(moveOwner({ ...there, onStep })))
        yield* Deferred.await(reached)
        yield* moveOwner(there)
        yield* Deferred.succeed(goOn, undefined)
        expect(yield* Fiber.join(first)).toMatchObject({ _tag: "MoveRefused", problem: "superseded" })
        expect((yield* world.directory.placement(owner)).cell).toBe(there.to.id)
        expect(yield* digestsIn(there.to, owner)).toEqual(before)
      }
    }).pipe(Effect.scoped, Effect.runPromise))

  it("holds no lock that a server waits for which believes that the owner lives in the target", () =>
    Effect.gen(function* () {
      const world = yield* openWorld(1)
      const [owner = ""] = [...(yield* newOwners(world, 1)).keys()]
      yield* moveOwner(yield* moveOf(world, owner))
      // Back again, with rows of the earlier stay in the target. The transaction of the copy stays open.
      const move = yield* moveOf(world, owner)
      const [copied, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      let isFrozen = false
      const login: typeof move.to.owner = {
        ...move.to.owner,
        asOwner: (work) =>
          move.to.owner.asOwner((sql) =>
            isFrozen
              ? Effect.tap(work(sql), () => Effect.andThen(Deferred.succeed(copied, undefined), Deferred.await(goOn)))
              : work(sql)
          )
      }
      const onStep = (step: MoveStep) => Effect.sync(() => void (isFrozen = step === "frozen"))
      const moving = yield* Effect.forkChild(moveOwner({ ...move, to: { ...move.to, owner: login }, onStep }))
      yield* Deferred.await(copied)
      const began = performance.now()
      const reserved = Effect.flatMap(testedLedger, (ledger) => ledger.reserve(reservation(owner, "reply:1", 5)))
      const refused = yield* Effect.flip(Effect.provide(reserved, world.servers[0]?.cells["a"] ?? expect.fail()))
      const waitedMs = performance.now() - began
      yield* Deferred.succeed(goOn, undefined)
      yield* Fiber.join(moving)
      expect(refused).toMatchObject({ _tag: "AccountNotFound" })
      expect(waitedMs).toBeLessThan(400)
    }).pipe(Effect.scoped, Effect.runPromise))

  it("is refused while a delivery is under way, or a transaction does not end, and nothing stays locked", () =>
    Effect.gen(function* () {
      const world = yield* openWorld(1)
      const owner = yield* richOwner(world)
      const move = { ...(yield* moveOf(world, owner)), patienceMs: 0 }
      const { schema, statement } = move.from.database
      const claimed = (claim: string) =>
        statement(
          `UPDATE ${schema}.event_deliveries SET claim = $2, due_at = now() + interval '1 minute' WHERE user_id = $1`,
          [owner, claim]
        )
      yield* claimed("x")
      expect(yield* Effect.flip(moveOwner(move))).toMatchObject({ _tag: "OwnerBusy", work: "delivery" })
      yield* statement(`UPDATE ${schema}.event_deliveries SET claim = NULL WHERE user_id = $1`, [owner])
      const open = move.from.owner.snapshot((sql) =>
        Effect.andThen(sql.query("SELECT txid_current_snapshot()"), Effect.flip(moveOwner({ ...move, patienceMs: 20 })))
      )
      expect(yield* open).toMatchObject({ _tag: "OwnerBusy", work: "transaction" })
      yield* statement(`UPDATE ${schema}.credit_accounts SET version = version + 1 WHERE user_id = $1`, [owner])
      expect(yield* moveOwner(move)).toBeGreaterThan(0)
    }).pipe(Effect.scoped, Effect.runPromise))
})
