/** People come, make their first rows, and are erased, while their cell is split. */
import { closeAccount, CreditLedger, PersonalData, ProjectStore } from "@parley/core/adapter"
import { newUserId, testedLedger } from "@parley/core/testing"
import { Deferred, Effect, Fiber, Schedule } from "effect"
import { describe, expect, it } from "vitest"
import { eraseMoved } from "../../src/cells/moving/eraseMoved.ts"
import type { Cell } from "../../src/cells/moving/ownerTables.ts"
import { splitCell } from "../../src/cells/splitting/splitCell.ts"
import { hasPostgres } from "../databases.ts"
import { reply, type Stores } from "./movingOwners.ts"
import { openSplitWorld, type SplitWorld } from "./splitWorld.ts"

const isRetryable = (error: unknown) => (error as { readonly retryable?: boolean }).retryable === true

/** Runs work on one of the servers, again while the person is leaving the cell. */
const on = ({ servers }: SplitWorld, server: number) => {
  const stores = servers[server]?.routed as Stores
  return <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.retry(Effect.provide(work, stores) as Effect.Effect<A, E>, {
      times: 600,
      schedule: Schedule.spaced("50 millis"),
      while: isRetryable
    })
}

const open = (userId: string) =>
  Effect.flatMap(testedLedger, (ledger) => ledger.open({ userId, tier: "free", allowance: 1000 }))

/** Opens an account, and charges a reply. */
const signUp = Effect.fnUntraced(function* (world: SplitWorld, server: number) {
  const owner = newUserId()
  yield* on(world, server)(open(owner))
  yield* on(world, server)(reply(owner, new Set()))
  return owner
})

/** Makes a project, which is all that its owner has, and changes it twice. */
const makeProject = Effect.fnUntraced(function* (world: SplitWorld, server: number) {
  const [owner, id] = [newUserId(), crypto.randomUUID()]
  const project = { id, name: "one", instructions: "", documentIds: [] }
  yield* on(world, server)(ProjectStore.use((projects) => projects.create(owner, project, 1)))
  for (const name of ["two", "three"])
    yield* on(world, server)(ProjectStore.use((projects) => projects.change(owner, id, { name })))
  return owner
})

/** Opens an account on one server, and erases it on the other one. */
const comeAndGo = Effect.fnUntraced(function* (world: SplitWorld, server: number) {
  const owner = newUserId()
  yield* on(world, server)(open(owner))
  const close = closeAccount({ userId: owner, key: `closed:${owner}`, lowest: "free" })
  yield* on(world, server)(CreditLedger.use((ledger) => ledger.run(close)))
  const erasure = { userId: owner, pseudonym: `erased:${owner}` }
  yield* on(world, 1 - server)(PersonalData.use((data) => data.erase(erasure)))
  return owner
})

/** What a cell has of a person: accounts, charges, and the names of projects. */
const storedIn = ({ database: { schema, statement } }: Cell, owner: string) =>
  Effect.map(
    statement<{ stored: string }>(
      `SELECT concat_ws(' ', (SELECT count(*) FROM ${schema}.credit_accounts WHERE user_id = $1),
         (SELECT count(*) FROM ${schema}.credit_transactions WHERE user_id = $1 AND type = 'usage'),
         (SELECT string_agg(name, ' ') FROM ${schema}.projects WHERE user_id = $1)) AS stored`,
      [owner]
    ),
    ([row]) => row?.stored
  )

/** The people of whom the cells do not have what was answered. */
const faultsAmong = Effect.fnUntraced(function* (world: SplitWorld, owners: ReadonlyArray<string>, expected: string) {
  const faults: Array<unknown> = []
  for (const owner of owners) {
    const { cell: home } = yield* world.directory.placement(owner)
    for (const cell of world.cells) {
      const stored = yield* storedIn(cell, owner)
      if (stored !== (cell.id === home ? expected : "0 0")) faults.push({ owner, home, cell: cell.id, stored })
    }
  }
  return faults
})

describe.runIf(hasPostgres)("people who come while their cell is split", { timeout: 300_000 }, () => {
  it("have what was answered in one cell, and are erased in both", () =>
    Effect.gen(function* () {
      const world = yield* openSplitWorld(2)
      const done = yield* Deferred.make<void>()
      const each = (work: (world: SplitWorld, server: number) => Effect.Effect<string, unknown>) => {
        const owners: Array<string> = []
        const caller = (server: number) =>
          Effect.gen(function* () {
            while (!(yield* Deferred.isDone(done))) owners.push(yield* work(world, server))
          })
        return Effect.as(Effect.all([caller(0), caller(1)], { concurrency: 2 }), owners)
      }
      const working = yield* Effect.forkChild(
        Effect.all([each(signUp), each(makeProject), each(comeAndGo)], { concurrency: "unbounded" })
      )
      yield* Effect.sleep("1500 millis")
      yield* splitCell(world.split)
      yield* Effect.sleep("2500 millis")
      yield* Deferred.succeed(done, undefined)
      const [signed, makers, erased] = yield* Fiber.join(working)
      for (const cell of world.cells) yield* eraseMoved(cell, 0)
      expect(yield* faultsAmong(world, signed, "1 1")).toEqual([])
      expect(yield* faultsAmong(world, makers, "0 0 three")).toEqual([])
      expect(yield* faultsAmong(world, erased, "0 0")).toEqual([])
      expect(
        yield* faultsAmong(
          world,
          erased.map((owner) => `erased:${owner}`),
          "1 0"
        )
      ).toEqual([])
    }).pipe(Effect.scoped, Effect.runPromise))
})
