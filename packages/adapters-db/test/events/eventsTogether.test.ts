import { Effect } from "effect"
import pg from "pg"
import { describe, expect, it } from "vitest"
import type { Cursor } from "@parley/core/adapter"
import { createParley, EVENT_TYPES, type Parley, type ParleyHooks } from "@parley/core"
import type { EventType } from "@parley/core"
import { openDatabase } from "../../src/openDatabase.ts"
import { hasPostgres, migratedPostgres } from "../databases.ts"

interface Rig {
  /** Another process on the same database. */
  open(hooks?: ParleyHooks): Promise<Parley>
  readonly url: string
}

const onDatabase = (use: (rig: Rig) => Promise<void>): Promise<void> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(migratedPostgres, (url) =>
        Effect.promise(async () => {
          const ends: Array<() => Promise<void>> = []
          const open = async (hooks?: ParleyHooks) => {
            const database = await openDatabase({ url, maxConnections: 4 })
            ends.unshift(() => database.close())
            const work = hooks === undefined ? false : (["events"] as const)
            const parley = await createParley({ ...database, work, ...(hooks && { hooks }) })
            ends.unshift(() => parley.close())
            return parley
          }
          try {
            await use({ open, url })
          } finally {
            for (const end of ends) await end()
          }
        })
      )
    )
  )

const paid = (parley: Parley, userId: string, key: string, credits = 1) =>
  parley.credits.meter({ userId, key, amount: credits, source: "meter:images" }, async () => ({
    result: undefined,
    lines: [{ label: "image", quantity: 1, unitPrice: credits }]
  }))

describe.runIf(hasPostgres)("events on Postgres", () => {
  it("a reader of the feed who continues misses no event that is committed after a later one was read", () =>
    onDatabase(async ({ open, url }) => {
      const parley = await open()
      const database = await openDatabase({ url, maxConnections: 4 })
      const { deliveryRecords, outbox } = database
      await Effect.runPromise(
        outbox.subscribe({ destinations: [{ id: "feed", types: EVENT_TYPES }], lowBelow: { free: 0 } })
      )
      const read = async (after: Cursor | undefined) => {
        const found = await Effect.runPromise(deliveryRecords.feed({ after, limit: 100 }))
        const keys = found.events.map((event) => ("key" in event.data ? event.data.key : event.type))
        return { keys, next: found.next }
      }
      const pool = new pg.Pool({ connectionString: url })
      const client = await pool.connect()
      await client.query("BEGIN")
      await paid(parley, "warm-up", "open")
      const first = await read(undefined)
      expect(first.keys).toEqual(["work:open"])
      await parley.in(client).credits.reserve({ userId: "ann", key: "late", amount: 1, source: "meter:images" })
      const lines = [{ label: "image", quantity: 1, unitPrice: 1 }]
      await parley.in(client).credits.settle({ userId: "ann", key: "late" }, { lines })
      await paid(parley, "bob", "early")
      const second = await read(first.next)
      expect(second.keys).toEqual(["work:early"])
      await client.query("COMMIT")
      const readers = await Promise.all(Array.from({ length: 4 }, () => read(second.next)))
      for (const reader of readers) expect(reader).toEqual({ keys: ["work:late"], next: expect.any(String) })
      expect(new Set(readers.map(({ next }) => next)).size).toBe(1)
      client.release()
      await pool.end()
      await database.close()
    }))

  it("several processes deliver each event to a hook once, whichever process charged and whether it has hooks", () =>
    onDatabase(async ({ open }) => {
      const charges = 120
      const calls: Array<string> = []
      const all = Promise.withResolvers<void>()
      const hooks: ParleyHooks = {
        onCharge: async ({ data }) => {
          calls.push(data.key)
          if (new Set(calls).size === charges) all.resolve()
        }
      }
      for (let process = 0; process < 3; process += 1) await open(hooks)
      const charging = await open()
      const people = ["ann", "bob", "cleo", "dan"]
      const work = Array.from({ length: charges }, (_, index) =>
        paid(charging, people[index % 4] ?? "", `image:${index}`)
      )
      await Promise.all(work)
      await all.promise
      expect(calls.toSorted()).toEqual(Array.from({ length: charges }, (_, index) => `work:image:${index}`).toSorted())
    }))

  it("a caller's transaction that is rolled back publishes nothing, and a committed one publishes its events", () =>
    onDatabase(async ({ open, url }) => {
      const low: Array<string> = []
      const told = Promise.withResolvers<void>()
      await open({
        onLowBalance: ({ data }) => {
          low.push(data.account)
          if (data.account === "bob") told.resolve()
        }
      })
      const parley = await open()
      await parley.credits.balance("ann")
      await parley.credits.balance("bob")
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      try {
        for (const [userId, end] of [
          ["ann", "ROLLBACK"],
          ["bob", "COMMIT"]
        ] as const) {
          await client.query("BEGIN")
          await parley.in(client).credits.adjust({ userId, amount: -99, key: `order:${userId}`, reason: "an order" })
          await client.query(end)
        }
        await told.promise
        // If the other one had been called, it would have been first.
        const { rows } = await client.query("SELECT DISTINCT user_id FROM parley.event_deliveries")
        expect([low, rows]).toEqual([["bob"], [{ user_id: "bob" }]])
      } finally {
        await client.end()
      }
    }))

  it("a type or threshold that no process has asked for in a quarter of an hour counts no more", () =>
    onDatabase(async ({ open, url }) => {
      await open()
      const { close, deliveryRecords, outbox } = await openDatabase({ url })
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      const ask = (free: number, ...types: ReadonlyArray<EventType>) =>
        Effect.runPromise(outbox.subscribe({ destinations: [{ id: "hook:both", types }], lowBelow: { free } }))
      const keptAfter = async (age: string) => {
        await ask(90, "balance.low", "document.ready")
        await client.query(
          `UPDATE parley.event_destinations
          SET asked_at = (SELECT jsonb_object_agg(key, value::timestamptz - $1::interval) FROM jsonb_each_text(asked_at)),
            low_below = jsonb_build_object('free', (
              SELECT jsonb_object_agg(key, value::timestamptz - $1::interval) FROM jsonb_each_text(low_below -> 'free')))`,
          [age]
        )
        await ask(50, "balance.low")
        const { rows } = await client.query<{ asked: Readonly<Record<string, string>> }>(
          "SELECT low_below -> 'free' AS asked FROM parley.event_destinations"
        )
        const [destination] = await Effect.runPromise(deliveryRecords.destinations)
        return [destination?.types, Object.keys(rows[0]?.asked ?? {}).toSorted()]
      }
      try {
        expect(await keptAfter("10 minutes")).toEqual([
          ["balance.low", "document.ready"],
          ["50", "90"]
        ])
        expect(await keptAfter("16 minutes")).toEqual([["balance.low"], ["50"]])
        const other = { id: "hook:other", types: ["balance.low"] } as const
        const keptBeside = async (age: string) => {
          await client.query(
            "UPDATE parley.event_destinations SET seen_at = now() - $1::interval WHERE id = 'hook:both'",
            [age]
          )
          await Effect.runPromise(outbox.subscribe({ destinations: [other], lowBelow: { free: 20 } }))
          const { rows } = await client.query<{ id: string }>(
            "SELECT id FROM parley.event_destinations WHERE low_below IS NOT NULL ORDER BY id"
          )
          return rows.map(({ id }) => id)
        }
        // One that no process serves any more, while another asks.
        expect(await keptBeside("10 minutes")).toEqual(["hook:both", "hook:other"])
        expect(await keptBeside("16 minutes")).toEqual(["hook:other"])
      } finally {
        await client.end()
        await close()
      }
    }))

  it("deliveries that ended long ago are deleted in parts, and so are those of a destination without a process; its dead ones are not retried", () =>
    onDatabase(async ({ open, url }) => {
      // Only the test delivers and cleans up.
      const parley = await open()
      const { close, deliveryRecords, outbox } = await openDatabase({ url })
      const run = Effect.runPromise
      const hook = { id: "hook:onCharge", types: ["credits.charged"] } as const
      await run(outbox.subscribe({ destinations: [hook], lowBelow: undefined }))
      await Promise.all(Array.from({ length: 30 }, (_, index) => paid(parley, "ann", `image:${index}`)))
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      const left = async () => {
        const text = "SELECT state, count(*)::int FROM parley.event_deliveries GROUP BY state ORDER BY state"
        return (await client.query<{ state: string; count: number }>(text)).rows.map(({ count, state }) => [
          state,
          count
        ])
      }
      try {
        await client.query(`UPDATE parley.event_deliveries d SET state = c.state, ended_at = now() - c.age
          FROM (SELECT event_id, row_number() OVER (ORDER BY event_id) AS n FROM parley.event_deliveries) e
          JOIN (VALUES (0, 'delivered', interval '25 hours'), (1, 'delivered', interval '23 hours'),
            (2, 'dead', interval '31 days'), (3, 'dead', interval '29 days')) AS c (n, state, age) ON true
          WHERE e.event_id = d.event_id AND e.n % 5 = c.n`)
        const prune = () => run(outbox.prune({ limit: 5 }))
        expect([await prune(), await prune(), await prune(), await prune()]).toEqual([5, 5, 2, 0])
        expect(await left()).toEqual([
          ["dead", 6],
          ["delivered", 6],
          ["pending", 6]
        ])
        await client.query("UPDATE parley.event_deliveries SET due_at = now() - interval '8 days'")
        // All were away for long: what waits for one that is served again is not lost.
        expect(await prune()).toBe(0)
        await client.query("UPDATE parley.event_destinations SET seen_at = now() - interval '8 days'")
        while ((await prune()) > 0);
        expect(await run(deliveryRecords.destinations)).toEqual([])
        // They are not retried: they stay for the operator.
        expect(await run(deliveryRecords.retry({}))).toBe(0)
        expect(await run(deliveryRecords.retry({ destination: hook.id }))).toBe(0)
        expect(await left()).toEqual([
          ["dead", 6],
          ["delivered", 6]
        ])
      } finally {
        await client.end()
        await close()
      }
    }))
})
