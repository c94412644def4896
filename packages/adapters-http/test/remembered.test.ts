import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { remembered } from "../src/environment/remembered.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const LIMITS = { forMs: 1_000, withinMs: 5_000 }

test("a hundred who ask at once, and all of the next second, cost one look", async () => {
  const look = vi.fn<() => Promise<void>>(() => Promise.resolve())
  const ask = remembered(look, LIMITS)
  await Promise.all(Array.from({ length: 100 }, () => ask()))
  await vi.advanceTimersByTimeAsync(999)
  await ask()
  expect(look).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(1)
  await ask()
  expect(look).toHaveBeenCalledTimes(2)
})

test("a bad answer counts as long as a good one", async () => {
  let answer = Promise.reject.bind(Promise, new Error("down")) as () => Promise<void>
  const ask = remembered(() => answer(), LIMITS)
  await expect(ask()).rejects.toThrow("down")
  answer = () => Promise.resolve()
  await expect(ask()).rejects.toThrow("down")
  await vi.advanceTimersByTimeAsync(1_000)
  await ask()
})

test("a look that never ends counts as a bad answer, and the next is made all the same", async () => {
  const look = vi.fn<() => Promise<void>>(() => new Promise<void>(() => undefined))
  const ask = remembered(look, LIMITS)
  const [refused] = await Promise.all([Promise.allSettled([ask()]), vi.advanceTimersByTimeAsync(5_000)])
  expect(refused).toMatchObject([{ status: "rejected", reason: { message: "No answer came in time." } }])
  await vi.advanceTimersByTimeAsync(1_000)
  void ask().catch(() => undefined)
  expect(look).toHaveBeenCalledTimes(2)
})
