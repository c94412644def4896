import { Effect, Result } from "effect"
import { describe, expect, it } from "vitest"
import { type Spender, dayOf } from "../../credits/Spender.ts"
import type { UserId } from "../../identity/UserId.ts"
import { receiptDraft, reservation } from "./creditFixtures.ts"
import { type CreditTester, run, tagOf } from "./creditTester.ts"

/** More transactions than one query sums. */
const MANY = 300

/** Tests spenders, daily caps and usage. */
export const describeUsage = ({ ledger, openUser, settle, rows }: CreditTester): void => {
  const from = (userId: UserId, key: string, source: Spender, amount: number, dailyCap?: number) =>
    ledger.reserve(reservation(userId, key, amount, { source, dailyCap }))
  /** The usage of today and yesterday, in case the day ends during a test. */
  const used = async (userId: UserId) => {
    const lastDay = dayOf(await run(ledger.now))
    const rows = await run(ledger.usage({ userId, firstDay: lastDay - 1, lastDay }))
    const sums = new Map<string, readonly [number, number, number, number]>()
    for (const { source, model, replies, credits, inputTokens, outputTokens } of rows) {
      const [a, b, c, d] = sums.get(`${source} ${model}`) ?? [0, 0, 0, 0]
      sums.set(`${source} ${model}`, [a + replies, b + credits, c + inputTokens, d + outputTokens])
    }
    return Object.fromEntries(sums)
  }

  describe("sources and usage", () => {
    it("a charge keeps the source that its credits were held for, on its row and its receipt", async () => {
      const userId = await openUser(100)
      await run(from(userId, "reply:1", "bot:helper", 30))
      await run(settle(userId, "reply:1", 5))
      const [charged, opened] = await rows(userId)
      expect(charged).toMatchObject({ type: "usage", source: "bot:helper", receipt: { source: "bot:helper" } })
      expect(opened?.source).toBeUndefined()
    })

    it("refuses an invalid source, and a key that was used for another one", async () => {
      const userId = await openUser(100)
      for (const source of ["", "bots", "bot:", "bot:a b", `key:${"x".repeat(101)}`, "chat:1", "bot:a\n"]) {
        expect(await tagOf(from(userId, "reply:1", source as Spender, 5))).toBe("InvalidAmount")
      }
      await run(from(userId, "reply:1", "bot:a", 5))
      expect(await tagOf(from(userId, "reply:1", "bot:b", 5))).toBe("KeyConflict")
    })

    it("usage is returned by source and model, with its cost and its tokens", async () => {
      const userId = await openUser(100)
      const other = {
        ...receiptDraft,
        model: "model-a",
        usage: { freshInput: 1, cacheRead: 2, cacheWrite: 3, output: 4 }
      }
      const spend = async (key: string, source: Spender, draft = receiptDraft) => {
        await run(from(userId, key, source, 10))
        await run(ledger.settle({ userId, key, amount: 3, draft }))
      }
      await spend("reply:1", "chat")
      await spend("reply:2", "chat")
      await spend("reply:3", "chat", other)
      await spend("reply:4", "bot:a")
      await run(from(userId, "reply:5", "bot:a", 10))
      await run(ledger.release({ userId, key: "reply:5" }))
      expect(await used(userId)).toEqual({
        "bot:a model-a-mini": [1, 3, 120, 30],
        "chat model-a": [1, 3, 6, 4],
        "chat model-a-mini": [2, 6, 240, 60]
      })
    })

    it("usage is returned for the requested days alone, and none for a missing account", async () => {
      const userId = await openUser(100)
      await run(from(userId, "reply:1", "chat", 10))
      await run(settle(userId, "reply:1", 3))
      const [charged] = await rows(userId)
      const day = dayOf(charged?.createdAt ?? 0)
      const asked = (firstDay: number, lastDay: number, whose = userId) =>
        run(Effect.map(ledger.usage({ userId: whose, firstDay, lastDay }), (found) => found.map((row) => row.day)))
      const text = new Date(day * 86_400_000).toISOString().slice(0, 10)
      expect(await asked(day, day)).toEqual([text])
      expect(await asked(day - 1, day + 1)).toEqual([text])
      expect([await asked(day + 1, day + 2), await asked(day - 2, day - 1)]).toEqual([[], []])
      expect(await asked(day, day, "nobody")).toEqual([])
    })

    it("usage of many replies is exact to the last credit", async () => {
      const userId = await openUser(2_000)
      const keys = Array.from({ length: MANY }, (_, index) => `reply:${index}`)
      const sourceOf = (index: number): Spender => (index % 3 === 0 ? "chat" : `bot:${index % 3}`)
      const spend = (key: string, index: number) =>
        Effect.andThen(from(userId, key, sourceOf(index), 2), settle(userId, key, index % 2))
      await run(Effect.forEach(keys, spend, { concurrency: "unbounded", discard: true }))
      const sum = (remainder: number) => keys.filter((_, index) => index % 3 === remainder && index % 2 === 1).length
      expect(await used(userId)).toEqual({
        "bot:1 model-a-mini": [100, sum(1), 12_000, 3_000],
        "bot:2 model-a-mini": [100, sum(2), 12_000, 3_000],
        "chat model-a-mini": [100, sum(0), 12_000, 3_000]
      })
    })
  })

  describe("daily caps", () => {
    it("bound what all sources of a kind take of an account on one day, open holds counted, and no other kind", async () => {
      const userId = await openUser(1_000)
      await run(from(userId, "reply:1", "bot:a", 30, 50))
      await run(settle(userId, "reply:1", 10))
      await run(from(userId, "reply:2", "bot:b", 25, 50))
      const now = await run(ledger.now)
      const refused = await run(Effect.flip(from(userId, "reply:3", "bot:c", 16, 50)))
      expect(refused).toMatchObject({ _tag: "DailyCapReached", kind: "bot", cap: 50, spent: 35 })
      if (refused._tag !== "DailyCapReached") return
      expect(refused.resetsAt % 86_400_000).toBe(0)
      expect(refused.resetsAt).toBeGreaterThan(now)
      expect(refused.retryAfterMs).toBeLessThanOrEqual(86_400_000)
      expect(await run(from(userId, "reply:3", "bot:c", 15, 50))).toMatchObject({ _tag: "Held" })
      expect(await run(from(userId, "reply:4", "chat", 200, 200))).toMatchObject({ _tag: "Held" })
      expect(await run(from(userId, "reply:5", "meter:pages", 200, 200))).toMatchObject({ _tag: "Held" })
      expect(await run(from(userId, "reply:6", "bot:a", 200))).toMatchObject({ _tag: "Held" })
    })

    it("reduce a hold to the rest of the cap, if that is still useful", async () => {
      const userId = await openUser(1_000)
      await run(from(userId, "reply:1", "bot:a", 30, 50))
      const held = await run(
        ledger.reserve(reservation(userId, "reply:2", 100, { minimumAmount: 20, source: "bot:a", dailyCap: 50 }))
      )
      expect(held).toMatchObject({ _tag: "Held", hold: { amount: 20 } })
      expect(await tagOf(from(userId, "reply:3", "bot:a", 1, 50))).toBe("DailyCapReached")
    })

    it("get back released credits and the rest that a charge leaves of its hold", async () => {
      const userId = await openUser(1_000)
      await run(from(userId, "reply:1", "key:k", 50, 50))
      await run(ledger.release({ userId, key: "reply:1" }))
      await run(from(userId, "reply:2", "key:k", 50, 50))
      await run(settle(userId, "reply:2", 20))
      expect(await tagOf(from(userId, "reply:3", "key:k", 31, 50))).toBe("DailyCapReached")
      expect(await run(from(userId, "reply:3", "key:k", 30, 50))).toMatchObject({ _tag: "Held" })
    })

    it("of nothing let nothing through, and must be whole", async () => {
      const userId = await openUser(1_000)
      expect(await tagOf(from(userId, "reply:1", "bot:a", 1, 0))).toBe("DailyCapReached")
      for (const cap of [-1, 0.5, Number.NaN]) {
        expect(await tagOf(from(userId, "reply:1", "bot:a", 1, cap))).toBe("InvalidAmount")
      }
    })

    it("leave a repeated key its first answer", async () => {
      const userId = await openUser(1_000)
      const first = await run(from(userId, "reply:1", "bot:a", 50, 50))
      expect(await run(from(userId, "reply:1", "bot:a", 50, 50))).toEqual({ ...first, replayed: true })
    })

    it("are never exceeded by reservations at the same moment", async () => {
      const userId = await openUser(1_000)
      const asked = Array.from({ length: 40 }, (_, index) =>
        Effect.result(from(userId, `reply:${index}`, `bot:${index % 4}`, 7, 100))
      )
      const answers = await run(Effect.all(asked, { concurrency: "unbounded" }))
      const held = answers.filter((answer) => Result.isSuccess(answer) && answer.success._tag === "Held")
      expect(held).toHaveLength(14)
      const refused = answers.flatMap((answer) => (Result.isFailure(answer) ? answer.failure._tag : []))
      expect(refused).toEqual(Array.from({ length: 26 }, () => "DailyCapReached"))
    })
  })
}
