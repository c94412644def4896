import { expect, test } from "vitest"
import { startServer } from "./support/startServer.ts"

test("the schedule resets whose month is over, and tells how many it reset", async () => {
  let now = Date.parse("2026-01-31T12:00:00Z")
  const server = await startServer({
    app: { cronSecret: "for-schedules" },
    parley: { clock: { now: () => now }, config: { tiers: { free: { monthlyCredits: 70 } } } }
  })
  const reset = async () => {
    const answer = await server.fetch("/api/cron/reset-credits", { headers: { authorization: "Bearer for-schedules" } })
    expect(answer.status).toBe(200)
    return (await answer.json()) as { message: string; resetCount: number }
  }
  for (const user of ["ada", "ben"]) await server.parley.credits.balance(user)
  expect(await reset()).toMatchObject({ resetCount: 0 })
  now = Date.parse("2026-02-28T12:00:00Z")
  expect(await reset()).toEqual({ message: "Reset the credits of 2 people.", resetCount: 2 })
  expect(await reset()).toMatchObject({ resetCount: 0 })
  expect(await server.parley.credits.balance("ada")).toMatchObject({
    allowance: 70,
    nextResetAt: Date.parse("2026-03-31T12:00:00Z")
  })
  await server.close()
})
