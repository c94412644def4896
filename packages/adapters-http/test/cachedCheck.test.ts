import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { cachedCheck } from "../src/server/readiness.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const LIMITS = { forMs: 1_000, withinMs: 5_000 }

test("a hundred concurrent callers, and all of the next second, cost one check", async () => {
  const look = vi.fn<() => Promise<void>>(() => Promise.resolve())
  const ask = cachedCheck(look, LIMITS)
  await Promise.all(Array.from({ length: 100 }, () => ask()))
  await vi.advanceTimersByTimeAsync(999)
  await ask()
  expect(look).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(1)
  await ask()
  expect(look).toHaveBeenCalledTimes(2)
})

test("a failure is cached as long as a success", async () => {
  let answer = Promise.reject.bind(Promise, new Error("down")) as () => Promise<void>
  const ask = cachedCheck(() => answer(), LIMITS)
  await expect(ask()).rejects.toThrow("down")
  answer = () => Promise.resolve()
  await expect(ask()).rejects.toThrow("down")
  await vi.advanceTimersByTimeAsync(1_000)
  await ask()
})

test("a check that never ends counts as a failure, and the next one runs", async () => {
  const look = vi.fn<() => Promise<void>>(() => new Promise<void>(() => undefined))
  const ask = cachedCheck(look, LIMITS)
  const [refused] = await Promise.all([Promise.allSettled([ask()]), vi.advanceTimersByTimeAsync(5_000)])
  expect(refused).toMatchObject([{ status: "rejected", reason: { message: "No answer came in time." } }])
  await vi.advanceTimersByTimeAsync(1_000)
  void ask().catch(() => undefined)
  expect(look).toHaveBeenCalledTimes(2)
})
