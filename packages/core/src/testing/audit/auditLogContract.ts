import { Clock, Effect, type Layer } from "effect"
import { expect, it } from "vitest"
import { AUDIT_KEPT_MS, type AuditEntry, AuditLog, type ListAuditInput } from "../../audit/AuditLog.ts"
import { UnitOfWork } from "../../storage/UnitOfWork.ts"
import { PersonalData } from "../../users/PersonalData.ts"
import { newUserId } from "../storage/storageFixtures.ts"
import { suiteOn } from "../suiteOn.ts"

const DAY_MS = 86_400_000

/**
 * Tests the guarantees of an `AuditLog`. `recordAt` stores an entry as if it had been recorded at a time in Unix
 * milliseconds. `layer` is built once, for all tests.
 */
export const auditLogContract = <R = never>(
  name: string,
  layer: Layer.Layer<AuditLog | PersonalData | UnitOfWork | R, unknown>,
  recordAt: (at: number, entry: AuditEntry) => Effect.Effect<void, unknown, AuditLog | R>
): void =>
  suiteOn(`AuditLog: ${name}`, layer, (run) => {
    const entryOf = (changes: Partial<AuditEntry> = {}): AuditEntry => ({
      action: "credits adjust",
      by: "operator ä",
      userId: newUserId(),
      reason: "outage of 3 May",
      details: "200 credits",
      ...changes
    })
    const record = (entry: AuditEntry) => AuditLog.use((log) => log.record(entry))
    const list = (input: Partial<ListAuditInput>) =>
      AuditLog.use((log) => log.list({ userId: undefined, since: undefined, before: undefined, limit: 100, ...input }))

    it("returns the entries of one person or all, newest first, page by page and since a time", () =>
      run(
        Effect.gen(function* () {
          const userId = newUserId()
          const mine = [
            entryOf({ userId, details: "first" }),
            entryOf({ userId, reason: undefined, details: "second", address: "203.0.113.7" })
          ]
          const other = entryOf({ userId: undefined, action: "credits reset" })
          for (const entry of [...mine, other]) yield* record(entry)
          const found = yield* list({ userId })
          expect(found.map(({ at: _at, number: _number, ...entry }) => entry)).toEqual(mine.toReversed())
          const [second, first] = found
          expect(second?.at).toBeGreaterThanOrEqual(first?.at ?? Infinity)
          expect(yield* list({ userId, limit: 1 })).toEqual([second])
          expect(yield* list({ userId, before: second?.number })).toEqual([first])
          expect((yield* list({ userId, since: first?.at })).length).toBe(2)
          expect(yield* list({ userId, since: (second?.at ?? 0) + 1 })).toEqual([])
          const all = yield* list({})
          expect(all.filter(({ userId: whose }) => whose === userId)).toEqual(found)
          expect(all[0]).toMatchObject({ userId: undefined, action: "credits reset" })
        })
      ))

    it("has nothing of a unit of work that fails, and is entered with one that does not", () =>
      run(
        Effect.gen(function* () {
          const userId = newUserId()
          const unit = yield* UnitOfWork
          const failing = Effect.andThen(record(entryOf({ userId })), Effect.fail("no" as const))
          expect(yield* Effect.flip(unit.run(userId, failing))).toBe("no")
          expect(yield* list({ userId })).toEqual([])
          yield* unit.run(userId, record(entryOf({ userId })))
          expect(yield* list({ userId })).toHaveLength(1)
        })
      ))

    it("names no erased person, and still has the action and the operator", () =>
      run(
        Effect.gen(function* () {
          const userId = newUserId()
          const pseudonym = `erased:${crypto.randomUUID()}`
          yield* record(entryOf({ userId, reason: "asked by Ann Smith", details: "her last order" }))
          yield* PersonalData.use((data) => data.erase({ userId, pseudonym }))
          expect(yield* list({ userId })).toEqual([])
          const [kept] = yield* list({ userId: pseudonym })
          expect(kept).toMatchObject({ action: "credits adjust", by: "operator ä", reason: undefined, details: "" })
        })
      ))

    it("removes the oldest entries above an age, at most as many as asked for, and gives no number again", () =>
      run(
        Effect.gen(function* () {
          const log = yield* AuditLog
          const userId = newUserId()
          const now = yield* Clock.currentTimeMillis
          const day = (age: number) => now - age * DAY_MS
          for (const age of [400, 300, 200, 100]) yield* recordAt(day(age), entryOf({ userId, details: `${age}` }))
          const left = Effect.map(list({ userId }), (found) => found.map(({ details }) => details))
          expect(yield* log.removeOld({ keptMs: 150 * DAY_MS, limit: 2 })).toBe(2)
          expect(yield* left).toEqual(["100", "200"])
          expect(yield* log.removeOld({ keptMs: 150 * DAY_MS, limit: 2 })).toBe(1)
          expect(yield* log.removeOld({ keptMs: 150 * DAY_MS, limit: 2 })).toBe(0)
          const [last] = yield* list({ userId })
          expect(last).toMatchObject({ details: "100" })
          yield* log.removeOld({ keptMs: 31 * DAY_MS, limit: 100 })
          expect(yield* left).toEqual([])
          yield* record(entryOf({ userId }))
          const [next] = yield* list({ userId })
          expect(next?.number).toBeGreaterThan(last?.number ?? Infinity)
        })
      ))

    it("keeps every entry for 30 days, whatever it is asked to remove", () =>
      run(
        Effect.gen(function* () {
          const log = yield* AuditLog
          const userId = newUserId()
          const now = yield* Clock.currentTimeMillis
          yield* recordAt(now - AUDIT_KEPT_MS + 60_000, entryOf({ userId, details: "young" }))
          yield* recordAt(now - AUDIT_KEPT_MS - 60_000, entryOf({ userId, details: "old" }))
          yield* log.removeOld({ keptMs: -1_000_000, limit: 100 })
          expect(yield* list({ userId })).toMatchObject([{ details: "young" }])
        })
      ))
  })
