/** Rows that all people share: in the global database alone, for people of every cell. */
import type { Cursor } from "@parley/core/adapter"
import {
  AccessStore,
  AuditLog,
  BillingStore,
  BotStore,
  closeAccount,
  CreditLedger,
  PersonalData,
  RateLimiter,
  RevokedSessions,
  ServiceKeyStore,
  SignInStore,
  UnitOfWork
} from "@parley/core/adapter"
import { newBot, testedLedger } from "@parley/core/testing"
import { createHash } from "node:crypto"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hasPostgres } from "../databases.ts"
import { insist, openPaymentCells, type PaymentCells, run, storedOf, storyIn } from "./paymentCells.ts"
import { CellDatabases } from "./routedStores.ts"

const hex = () => createHash("sha256").update(crypto.randomUUID()).digest("hex")

describe.runIf(hasPostgres)("rows that all people share", () => {
  let cells: PaymentCells
  beforeAll(async () => {
    cells = await openPaymentCells()
  })
  afterAll(() => cells.close())

  /** The number of rows in each database. */
  const counts = (table: string, condition: string, values: ReadonlyArray<unknown>) =>
    CellDatabases.use(({ databases }) =>
      Effect.forEach(databases, ({ schema, statement }) =>
        Effect.map(
          statement<{ rows: number }>(`SELECT count(*) AS rows FROM ${schema}.${table} WHERE ${condition}`, values),
          ([row]) => row?.rows
        )
      )
    )

  it("sessions, the audit log, limits by address and service keys are in the global database", () =>
    run(
      cells.other,
      Effect.gen(function* () {
        for (const cell of [0, 1]) {
          const { userId } = storyIn(cell)
          const work = Effect.gen(function* () {
            const session = { digest: hex(), expiresAt: Date.now() + 60_000 }
            yield* (yield* RevokedSessions).revoke(session)
            expect((yield* (yield* RevokedSessions).since(undefined)).sessions).toContainEqual(session)
            const entry = { action: "users find", by: "a test", userId, reason: undefined, details: "" }
            yield* (yield* AuditLog).record(entry)
            const listed = { userId, since: undefined, before: undefined, limit: 9 }
            expect(yield* (yield* AuditLog).list(listed)).toMatchObject([entry])
            const subject = `address ${crypto.randomUUID()}`
            yield* (yield* RateLimiter).count({ name: "sign-in", subject, windowMs: 60_000 })
            const key = {
              id: crypto.randomUUID(),
              name: "a key",
              scopes: ["credits:read" as const],
              digest: hex(),
              expiresAt: undefined
            }
            yield* (yield* ServiceKeyStore).insert(key)
            expect(yield* (yield* ServiceKeyStore).find(key.id)).toMatchObject({ name: "a key" })
            return { session, subject, key }
          })
          // Within a unit of work of a person of any cell, too.
          const { key, session, subject } = yield* (yield* UnitOfWork).run(userId, work)
          expect(yield* counts("audit_log", "subject = $1", [userId])).toEqual([1, 0])
          expect(yield* counts("rate_windows", "subject = $1", [subject])).toEqual([1, 0])
          expect(yield* counts("revoked_sessions", "encode(digest, 'hex') = $1", [session.digest])).toEqual([1, 0])
          expect(yield* counts("service_keys", "id = $1", [key.id])).toEqual([1, 0])
        }
      })
    ))

  it("a person of any cell is found by the address of the sign-in, on its page", () =>
    run(
      cells.other,
      Effect.gen(function* () {
        const data = yield* PersonalData
        const ledger = yield* testedLedger
        for (const cell of [0, 1]) {
          const { userId } = storyIn(cell)
          const email = `${crypto.randomUUID()}@shop.example`
          yield* ledger.open({ userId, tier: "free", allowance: 5 })
          // The id of another person contains the address: both are found, one on each page.
          const other = `zz-${email}`
          yield* ledger.open({ userId: other, tier: "free", allowance: 5 })
          yield* (yield* SignInStore).enter({ email, newUserId: userId })
          const list = (search: string, limit: number, after?: Cursor) =>
            data.list({ search, blocked: false, after, limit })
          expect((yield* list(email.toUpperCase(), 9)).rows.map((row) => row.userId)).toEqual(
            [userId, other].toSorted()
          )
          const first = yield* list(email, 1)
          const second = yield* list(email, 1, first.next)
          expect([...first.rows, ...second.rows].map((row) => row.userId)).toEqual([userId, other].toSorted())
          expect((yield* list(`x${email}`, 9)).rows).toEqual([])
          expect((yield* data.list({ search: email, blocked: true, after: undefined, limit: 9 })).rows).toEqual([])
          yield* AccessStore.use((access) => access.change({ userId, change: "block" }))
          const blocked = yield* data.list({ search: email, blocked: true, after: undefined, limit: 9 })
          expect(blocked.rows.map((row) => row.userId)).toEqual([userId])
        }
      })
    ))

  it("an erasure leaves no name of the person in any database, and the person may come back", async () => {
    for (const cell of [0, 1]) {
      const story = storyIn(cell)
      const { userId } = story
      const email = `${crypto.randomUUID()}@shop.example`
      await insist(cells.other, story.events[0]!)
      const linked = { userId, customerId: story.world.customerId, replaces: story.world.customerId }
      await run(
        cells.other,
        Effect.gen(function* () {
          yield* (yield* BillingStore).link(linked)
          yield* (yield* BotStore).insert(newBot(userId), 9)
          yield* (yield* SignInStore).enter({ email, newUserId: userId })
          yield* (yield* AuditLog).record({ action: "x", by: `user:${userId}`, userId, reason: "r", details: "d" })
          yield* (yield* RateLimiter).count({ name: "chat", subject: userId, windowMs: 60_000 })
        })
      )
      await run(
        cells.other,
        CreditLedger.use((ledger) => ledger.run(closeAccount({ userId, key: "closed:1", lowest: "free" })))
      )
      const pseudonym = `erased:${crypto.randomUUID()}`
      await run(
        cells.other,
        PersonalData.use((data) => data.erase({ userId, pseudonym }))
      )
      const named = await run(
        cells.other,
        CellDatabases.use(({ databases }) =>
          Effect.forEach(databases, ({ schema, statement }) =>
            Effect.gen(function* () {
              const tables = yield* statement<{ name: string }>(
                `SELECT relname AS name FROM pg_class WHERE relnamespace = to_regnamespace($1) AND relkind IN ('r', 'p')`,
                [schema]
              )
              return yield* Effect.filter(
                tables.map(({ name }) => name),
                (name) =>
                  Effect.map(
                    statement(
                      `SELECT FROM ${schema}."${name}" t WHERE strpos(t::text, $1) > 0 OR strpos(t::text, $2) > 0`,
                      [userId, email]
                    ),
                    ({ length }) => length > 0
                  )
              )
            })
          )
        )
      )
      expect(named).toEqual([[], []])
      // The customer of the erased person has no owner again; the other customer belongs to the returned person.
      const link = (customerId: string) =>
        BillingStore.use((store) => store.link({ ...linked, customerId, replaces: undefined }))
      expect(await run(cells.other, link(linked.customerId))).toEqual({ customerId: undefined, waiting: [] })
      const another = `cus_${crypto.randomUUID()}`
      expect(await run(cells.other, link(another))).toMatchObject({ customerId: another })
      expect((await storedOf(cells.other, story))[0]?.claimed).toEqual([
        "customer:cus_ erased:",
        "payment:pi__0 erased:"
      ])
    }
  })
})
