import { describe, expect, it } from "vitest"
import { hasPostgres } from "./CrashRig.ts"
import { firstSeed } from "./seeds.ts"
import { stopInLongReplies, stopRounds, stopStarts, stopWithoutDatabase } from "./stopRounds.ts"

/** Concurrent servers, each on its own schema. */
const LANES = 4
const ROUNDS = 25
const BEYOND_DEADLINE = 3

describe.runIf(hasPostgres)("servers that are asked to stop under load", () => {
  const timeout = 1_500_000

  it(
    `${LANES * ROUNDS} times over, finish, charge each reply once and end with 0 and no open hold`,
    { timeout },
    async ({ annotate }) => {
      const seed = firstSeed()
      const lanes = Array.from({ length: LANES }, (_, lane) =>
        stopRounds(ROUNDS, BEYOND_DEADLINE, seed + lane * ROUNDS)
      )
      // All to their ends: a lane that fails leaves no server of another behind.
      await Promise.allSettled(lanes)
      const replies = (await Promise.all(lanes)).reduce((sum, count) => sum + count, 0)
      expect(replies).toBeGreaterThan(LANES * ROUNDS)
      await annotate(`${replies} replies.`)
    }
  )

  it("let a reply of 15 seconds finish, with a reader and without, and store and charge it whole", { timeout }, () =>
    stopInLongReplies()
  )

  it("end in bounded time when the database has fallen silent", { timeout }, () => stopWithoutDatabase(firstSeed()))

  it("end at any moment of their start", { timeout }, () => stopStarts(30, firstSeed()))
})
