import { createTestParley } from "@parley/core/testing/parley"
import { expect, it } from "vitest"
import { summarise } from "../src/summaries.ts"

it("returns the model's sentence, and charges its cost", async () => {
  await using parley = await createTestParley()
  parley.model.says("Storks return.", { freshInput: 1_000, output: 1_000 })
  expect(await summarise(parley, "ann", "Storks return to Alsace in March.")).toBe("Storks return.")
  expect(parley.model.asked[0]?.messages.at(-1)?.content).toContain("Alsace")
  expect((await parley.credits.balance("ann")).available).toBe(95)
})

it("names the time of the next credits, and works again from then on", async () => {
  const config = { tiers: { free: { monthlyCredits: 2 } } }
  await using parley = await createTestParley({ now: new Date("2031-03-05T10:00:00Z"), config })
  parley.model.says("First.", { freshInput: 1_000 }).says("Second.")
  expect(await summarise(parley, "ann", "a")).toBe("First.")
  expect(await summarise(parley, "ann", "b")).toContain("2031-04-05")
  parley.time.set(new Date("2031-04-05T10:00:00Z"))
  await parley.credits.reset()
  expect(await summarise(parley, "ann", "b")).toBe("Second.")
})

it("passes a failure of the model on, which costs nothing", async () => {
  await using parley = await createTestParley()
  parley.model.fails("unavailable")
  await expect(summarise(parley, "ann", "a")).rejects.toMatchObject({ _tag: "ModelFailed" })
  expect((await parley.credits.balance("ann")).available).toBe(100)
})
