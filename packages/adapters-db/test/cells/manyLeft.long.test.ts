/** Work over all people of a cell, half of whom have left it with rows that are not yet erased. */
import {
  BillingUpkeep,
  ChatRecords,
  ConversationFiles,
  CreditUpkeep,
  type Cursor,
  DeliveryRecords,
  FileStore,
  ImageStore,
  JobQueue,
  Outbox,
  ReindexStore
} from "@parley/core/adapter"
import { handling, TestJob } from "@parley/core/testing"
import { type Context, Effect, Exit, Latch, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { archiveRows, type ArchivedKind } from "../../src/archiving/archiveRows.ts"
import { ERASED_AT_ONCE, eraseMoved } from "../../src/cells/moving/eraseMoved.ts"
import { livesHere } from "../../src/storage/leftRows.ts"
import { hasPostgres } from "../databases.ts"
import { ARCHIVED_DAYS, DAY_MS, digestsOf, openSplitCell, REMOVED_DAYS } from "./manyLeft.ts"

const PEOPLE = 3_000
const LIVING = PEOPLE / 2 - 1
/** A part of the people has rows in some of the tables. */
const FEW = PEOPLE / 10 - 1

type Split = Effect.Success<ReturnType<typeof openSplitCell>>
type Stores = Split["context"] extends Context.Context<infer Services> ? Services : never

/** Repeats work until it finds nothing; returns the total, and fails if it takes more rounds than its batches explain. */
const untilNone = <E, R>(batch: number, work: Effect.Effect<number, E, R>) =>
  Effect.gen(function* () {
    let total = 0
    for (let rounds = 1; ; rounds += 1) {
      const count = yield* work
      if (count === 0) return total
      total += count
      expect(rounds).toBeLessThanOrEqual(Math.ceil(LIVING / batch))
    }
  })

const resets = CreditUpkeep.use((upkeep) =>
  Effect.gen(function* () {
    const asOf = Date.now() + 40 * DAY_MS
    let [count, before]: [number, Cursor | undefined] = [0, undefined]
    for (;;) {
      const range: Cursor | undefined = yield* upkeep.due({ asOf, before, limit: 100 })
      if (range === undefined) return count
      const { busy, tiers } = yield* upkeep.reset({ asOf, allowances: { free: 1_000 }, range, dryRun: false })
      expect(busy).toBe(0)
      count += tiers["free"]?.accounts ?? 0
      before = range
    }
  })
)

const removed = (whose: "people" | "visitors") =>
  ChatRecords.use(({ removeUnused }) =>
    untilNone(100, removeUnused({ whose, unusedForMs: REMOVED_DAYS * DAY_MS, limit: 100 }))
  )

const archived = (kind: ArchivedKind) => archiveRows(kind, ARCHIVED_DAYS * DAY_MS, () => Effect.void)

const feed = DeliveryRecords.use((records) =>
  Effect.gen(function* () {
    let [count, after]: [number, Cursor | undefined] = [0, undefined]
    for (;;) {
      const page: Effect.Success<ReturnType<typeof records.feed>> = yield* records.feed({ after, limit: 500 })
      if (page.events.length === 0) return count
      count += page.events.length
      after = page.next
    }
  })
)

/** Works until the jobs that wait and those of the dead worker have run. */
const jobs = Effect.scoped(
  Effect.gen(function* () {
    const owners = new Map<string, number>()
    const all = Latch.makeUnsafe(false)
    let count = 0
    const handlers = handling([TestJob], ({ owner }) =>
      Effect.sync(() => {
        count += 1
        owners.set(owner, (owners.get(owner) ?? 0) + 1)
        if (count === 2 * FEW) all.openUnsafe()
      })
    )
    yield* (yield* JobQueue).work(handlers)
    yield* Effect.timeout(all.await, "1 minute")
    return count
  })
)

/** Each method that changes rows of all people, with the number of rows that those who live here have. */
const work: Readonly<Record<string, readonly [expected: number, work: Effect.Effect<number, unknown, Stores>]>> = {
  "creditUpkeep.sweep": [
    LIVING,
    untilNone(
      100,
      CreditUpkeep.use(({ sweep }) =>
        Effect.map(sweep({ limit: 100 }), ({ charged, refused, released }) => charged + released + refused)
      )
    )
  ],
  "creditUpkeep.reset": [LIVING, resets],
  "conversationFiles.removeOne": [
    FEW,
    untilNone(
      1,
      ConversationFiles.use(({ removeOne }) => Effect.map(removeOne({ unusedForMs: REMOVED_DAYS * DAY_MS }), Number))
    )
  ],
  "chatRecords.removeUnused of people": [LIVING, removed("people")],
  "chatRecords.removeUnused of visitors": [LIVING, removed("visitors")],
  "archived chats": [LIVING, archived("chats")],
  "archived conversations": [LIVING, archived("conversations")],
  "images.removeUnused": [
    LIVING,
    untilNone(
      100,
      ImageStore.use(({ removeUnused }) => removeUnused(100))
    )
  ],
  "reindexing.sweep": [LIVING, ReindexStore.use(({ sweep }) => sweep)],
  "files.move": [
    LIVING,
    untilNone(
      100,
      FileStore.use(({ move }) => Effect.map(move({ limit: 100 }), ({ moved }) => moved))
    )
  ],
  "billingUpkeep.forget": [
    LIVING,
    untilNone(
      100,
      BillingUpkeep.use(({ forget }) => {
        const before = Date.now() - REMOVED_DAYS * DAY_MS
        return Effect.map(
          forget({ doneBefore: before, unmatchedBefore: before, limit: 100 }),
          ({ reduced, deleted }) => reduced + deleted
        )
      })
    )
  ],
  "archived payments": [LIVING, archived("payments")],
  "outbox.claim": [
    LIVING,
    untilNone(
      100,
      Outbox.use(({ claim }) =>
        Effect.map(claim({ destination: "hook:x", leaseMs: 600_000, limit: 100 }), ({ length }) => length)
      )
    )
  ],
  "outbox.prune": [
    LIVING,
    untilNone(
      100,
      Outbox.use(({ prune }) => prune({ limit: 100 }))
    )
  ],
  "deliveryRecords.feed": [LIVING, feed],
  "deliveryRecords.retry": [
    LIVING,
    DeliveryRecords.use(({ retry }) => retry({ destination: "hook:x", eventId: undefined }))
  ],
  "outbox.disable": [0, Outbox.use(({ disable }) => Effect.as(disable("hook:gone"), 0))],
  "jobs.work": [2 * FEW, jobs]
}

describe.runIf(hasPostgres)("a cell that half of the people have left", { timeout: 900_000 }, () => {
  let scope: Scope.Closeable
  let split: Split
  let left: unknown
  const failures: Array<unknown> = []
  const run = <A, E>(effect: Effect.Effect<A, E, Stores>) =>
    Effect.runPromise(Effect.provideContext(effect, split.context))
  const count = (text: string) =>
    Effect.runPromise(
      Effect.map(split.cell.owner.execute(text), ([row]) => Number((row as { count: unknown } | undefined)?.count))
    )

  beforeAll(async () => {
    scope = await Effect.runPromise(Scope.make())
    split = await Effect.runPromise(
      Scope.provide(
        openSplitCell(PEOPLE, (error) => failures.push(error)),
        scope
      )
    )
    left = await Effect.runPromise(digestsOf(split.cell, "is_left"))
  }, 600_000)
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  for (const [name, [expected, changes]] of Object.entries(work)) {
    it(`has the rows of all others done by ${name}, and no row of those who left changed`, async () => {
      expect(await run(changes)).toBe(expected)
      expect(await Effect.runPromise(digestsOf(split.cell, "is_left"))).toEqual(left)
    })
  }

  it("has the dead replies of all others ended, their endpoint disabled and their old jobs deleted", async () => {
    const { schema } = split.cell.database
    const boss = `"${split.cell.owner.schemaName}_boss"`
    const others = "(SELECT id FROM public.people WHERE NOT is_left)"
    expect(await count(`SELECT count(*) FROM ${schema}.running_replies WHERE user_id IN ${others}`)).toBe(0)
    expect(
      await count(`SELECT count(*) FROM ${schema}.event_deliveries
        WHERE destination = 'hook:gone' AND state <> 'dead' AND user_id IN ${others}`)
    ).toBe(0)
    expect(
      await count(
        `SELECT count(*) FROM ${boss}.job WHERE completed_on < now() - interval '7 days' AND group_id IN ${others}`
      )
    ).toBe(0)
  })

  it("reports no failure of the work on jobs", () => {
    expect(failures).toEqual([])
  })

  it("finds out by a key whether a row was left, and by one look that none was", async () => {
    const { schema } = split.cell.database
    const rows = await Effect.runPromise(
      split.cell.owner.execute(
        `EXPLAIN SELECT count(*) FROM ${schema}.credit_accounts a WHERE ${livesHere(schema, "a.user_id")}`
      )
    )
    const plan = rows.map((row) => Object.values(row)[0]).join("\n")
    expect(plan).toContain("using moved_owners_pkey")
    expect(plan).toContain("using moved_owners_unfinished")
    expect(plan).not.toContain("hashed")
    expect(plan).not.toMatch(/Seq Scan on moved_owners/)
  })

  it("erases what was left in parts that two processes divide, except of an owner whose rows cannot be erased", async () => {
    const { schema } = split.cell.database
    await Effect.runPromise(
      split.cell.owner.execute(`CREATE FUNCTION ${schema}.refuse() RETURNS trigger LANGUAGE plpgsql AS
          'BEGIN RAISE EXCEPTION USING ERRCODE = ''restrict_violation''; END';
        CREATE TRIGGER refused BEFORE DELETE ON ${schema}.chats FOR EACH ROW WHEN (OLD.user_id = 'person-2')
          EXECUTE FUNCTION ${schema}.refuse()`)
    )
    const kept = "NOT is_left OR number <= 2"
    const before = await Effect.runPromise(digestsOf(split.cell, kept))
    const parts: Array<number> = []
    const worker = Effect.gen(function* () {
      for (let erased = -1; erased !== 0;) {
        erased = yield* eraseMoved(split.cell, 0)
        parts.push(erased)
      }
    })
    const ends = await Effect.runPromise(Effect.all([Effect.exit(worker), Effect.exit(worker)], { concurrency: 2 }))
    expect(ends.some(Exit.isFailure)).toBe(true)
    expect(parts.reduce((sum, part) => sum + part, 0)).toBe(PEOPLE / 2 - 1)
    expect(Math.max(...parts)).toBeLessThanOrEqual(ERASED_AT_ONCE)
    expect(await Effect.runPromise(digestsOf(split.cell, kept))).toEqual(before)
    expect(await Effect.runPromise(digestsOf(split.cell, `NOT (${kept})`))).toEqual({})
    await Effect.runPromise(split.cell.owner.execute(`DROP TRIGGER refused ON ${schema}.chats`))
    expect(await Effect.runPromise(eraseMoved(split.cell, 0))).toBe(1)
    const { differences } = await run(
      CreditUpkeep.use(({ verify }) => verify({ after: undefined, limit: PEOPLE, since: undefined }))
    )
    expect(differences).toEqual([])
  })
})
