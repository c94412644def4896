import { ChatStore, JobQueue, WorkerRegistry } from "@parley/core/adapter"
import { enqueue, newJob, newTurn, newUserId, receiptDraft, testedLedger } from "@parley/core/testing"
import { Effect, Layer, type Scope, Stream } from "effect"
import { describe, expect, it } from "vitest"
import { type CopyPart, CopyRefused } from "../src/copying/Copy.ts"
import { copyDatabase } from "../src/copying/copyDatabase.ts"
import { loadCopy } from "../src/copying/loadCopy.ts"
import type { DatabaseError } from "../src/database/Database.ts"
import { DatabaseOwner } from "../src/database/DatabaseOwner.ts"
import { migrate, pendingMigrations } from "../src/migrations/migrate.ts"
import { loadMigrations } from "../src/migrations/Migration.ts"
import { storesLayer } from "../src/storesLayer.ts"
import { databases, hasPostgres, type TestDatabase } from "./databases.ts"
import { fill, verifyAll } from "./filled.ts"

/** More than one part of rows. */
const TURNS = 260
const KEPT_OPEN = "reply:3"

const storesOn = (database: TestDatabase["layer"]) => Layer.provideMerge(storesLayer(), database)
const run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) => Effect.runPromise(Effect.scoped(effect))

const fillAll = Effect.gen(function* () {
  const users = yield* fill
  const chats = yield* ChatStore
  for (let number = 0; number < TURNS; number++) yield* chats.beginTurn(newTurn(users[0]!))
  yield* enqueue(newJob(users[0]!))
  return users
})

const collect = Stream.runCollect(copyDatabase)

const counts = (parts: ReadonlyArray<CopyPart>) =>
  parts.flatMap((part) => (part._tag === "end" ? [part.tables] : []))[0]

const inPairs = databases.flatMap((from) => databases.map((to) => ({ from, to, name: `${from.name} to ${to.name}` })))

describe.each(inPairs)("a copy from $name", ({ from, to }) => {
  it("has every row, in an empty database or a migrated one without rows, verifies, and is worked on", () =>
    run(
      Effect.gen(function* () {
        const source = yield* Layer.build(storesOn(from.layer))
        const users = yield* Effect.provideContext(fillAll, source)
        const parts = yield* Effect.provideContext(collect, source)
        const before = counts(parts)
        expect(before?.["messages"]?.rows).toBe(2 * (TURNS + 2))
        expect(before?.["boss.job"]?.rows).toBe(1)
        for (const layer of [to.empty, to.layer]) {
          const target = yield* Layer.build(storesOn(layer))
          yield* Effect.provideContext(
            Effect.gen(function* () {
              expect(yield* loadCopy(Stream.fromIterable(parts))).toEqual(before)
              expect(yield* pendingMigrations()).toEqual([])
              expect(yield* verifyAll).toEqual([])
              const ledger = yield* testedLedger
              for (const userId of users) {
                const end = yield* ledger.settle({ userId, key: KEPT_OPEN, amount: 5, draft: receiptDraft })
                expect(end._tag).toBe("Settled")
              }
              expect(yield* verifyAll).toEqual([])
              expect((yield* (yield* JobQueue).list(users[0], { limit: 10 })).jobs).toHaveLength(1)
            }),
            target
          )
        }
      })
    ))
})

describe.each(databases)("loading a copy into $name", ({ empty, layer }) => {
  const load = (parts: Stream.Stream<CopyPart, DatabaseError>) => Effect.flip(loadCopy(parts))

  it("is refused while a worker of the target lives, and not after it has left or died", () =>
    run(
      Effect.gen(function* () {
        const parts = yield* Effect.provideContext(collect, yield* Layer.build(storesOn(layer)))
        const target = yield* Layer.build(storesOn(layer))
        yield* Effect.provideContext(
          Effect.gen(function* () {
            const registry = yield* WorkerRegistry
            const worker = crypto.randomUUID()
            const loaded = loadCopy(Stream.fromIterable(parts))
            yield* registry.beat(worker)
            expect(yield* load(Stream.fromIterable(parts))).toMatchObject({ problem: "target-in-use" })
            yield* registry.leave(worker)
            yield* loaded
            yield* registry.beat(worker)
            const { execute, schemaName } = yield* DatabaseOwner
            yield* execute(`UPDATE "${schemaName}".workers SET seen_at = now() - interval '40 seconds'`)
            yield* loaded
          }),
          target
        )
      })
    ))

  it("is refused if the target contains a row, and changes nothing", () =>
    run(
      Effect.gen(function* () {
        const context = yield* Layer.build(storesOn(layer))
        yield* Effect.provideContext(fill, context)
        const parts = yield* Effect.provideContext(collect, context)
        const refused = yield* Effect.provideContext(load(Stream.fromIterable(parts)), context)
        expect(refused).toMatchObject({ problem: "target-not-empty" })
        expect((refused as CopyRefused).names).toContain("credit_accounts")
        expect(counts(yield* Effect.provideContext(collect, context))).toEqual(counts(parts))
      })
    ))

  it("leaves no row of a copy that is cut, damaged, unknown or newer", () =>
    run(
      Effect.gen(function* () {
        const source = yield* Layer.build(storesOn(layer))
        yield* Effect.provideContext(fill, source)
        const parts = yield* Effect.provideContext(collect, source)
        const target = yield* Layer.build(storesOn(empty))
        const problemOf = (changed: ReadonlyArray<CopyPart>) =>
          Effect.map(Effect.provideContext(load(Stream.fromIterable(changed)), target), (failed) =>
            failed instanceof CopyRefused ? failed.problem : failed._tag
          )
        expect(yield* problemOf([])).toBe("other-format")
        expect(yield* problemOf(parts.slice(1))).toBe("other-format")
        expect(yield* problemOf(parts.slice(0, -1))).toBe("incomplete")
        const lost = parts.filter((part) => part._tag !== "rows" || part.table !== "credit_transactions")
        expect(yield* problemOf(lost)).toBe("differs")
        const changed = parts.map((part): CopyPart =>
          part._tag === "rows" && part.table === "credit_accounts"
            ? { ...part, rows: part.rows.map((row) => row.replace("free", "gold")) }
            : part
        )
        expect(yield* problemOf(changed)).toBe("differs")
        const [begin] = parts
        if (begin?._tag !== "begin") throw new Error("No beginning.")
        expect(yield* problemOf([{ ...begin, migrations: [...begin.migrations, "9999_later"] }])).toBe("newer-schema")
        expect(yield* problemOf([{ ...begin, format: 2 }])).toBe("other-format")
        const left = yield* Effect.provideContext(collect, target)
        expect(Object.values(counts(left) ?? {}).every(({ rows }) => rows === 0)).toBe(true)
      })
    ))

  it("applies the migrations that the copy lacks after its rows are there", () =>
    run(
      Effect.gen(function* () {
        const older = (yield* Effect.promise(loadMigrations)).slice(0, -1)
        const source = yield* Layer.build(empty)
        yield* Effect.provideContext(migrate(older), source)
        const parts = yield* Effect.provideContext(collect, source)
        const target = yield* Layer.build(layer)
        yield* Effect.provideContext(loadCopy(Stream.fromIterable(parts)), target)
        expect(yield* Effect.provideContext(pendingMigrations(), target)).toEqual([])
      })
    ))
})

describe.runIf(hasPostgres)("a copy of a busy server", () => {
  it("is one state: a balance that changes meanwhile agrees with the copied rows", () =>
    run(
      Effect.gen(function* () {
        const [, postgres] = databases
        const source = yield* Layer.build(storesOn(postgres!.layer))
        const target = yield* Layer.build(storesOn(postgres!.empty))
        const userId = newUserId()
        const busy = Effect.gen(function* () {
          const ledger = yield* testedLedger
          for (let number = 0; ; number++) {
            yield* ledger.grant({ userId, key: `grant:${number}`, type: "grant", amount: 1 })
          }
        })
        const begin = Effect.gen(function* () {
          yield* fill
          const ledger = yield* testedLedger
          yield* ledger.open({ userId, tier: "free", allowance: 100 })
        })
        yield* Effect.provideContext(begin, source)
        yield* Effect.forkScoped(Effect.provideContext(busy, source))
        const copying = Stream.provideContext(copyDatabase, source)
        yield* Effect.provideContext(loadCopy(copying), target)
        expect(yield* Effect.provideContext(verifyAll, target)).toEqual([])
      })
    ))
})
