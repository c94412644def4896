import { createParley, openInMemory, textParser } from "@parley/core"
import { InsufficientCredits } from "@parley/core/effect"
import { ModelFailed, ModelUnavailable } from "@parley/core/adapter"
import { createTestParley } from "@parley/core/testing/parley"
import { Effect } from "effect"
import { expect, it } from "vitest"

const ask = (content: string) => ({ messages: [{ role: "user" as const, content }] })

it("the model gives its scripted replies in order, and then repeats the question", async () => {
  await using parley = await createTestParley()
  parley.model.says("One.").says(["T", "wo."], { freshInput: 1_000, output: 1_000 })
  const replies: Array<string> = []
  for (const question of ["a", "b", "c"]) replies.push(await (await parley.chat.send("ann", ask(question))).text())
  expect(replies).toEqual(["One.", "Two.", "c"])
  expect(parley.model.asked).toHaveLength(3)
  expect(await parley.credits.balance("ann")).toMatchObject({ available: 100 - 1 - 5 - 1, held: 0 })
})

it("a scripted failure is the named error, and costs nothing", async () => {
  await using parley = await createTestParley()
  parley.model.fails("rate-limited")
  await expect(parley.chat.send("ann", ask("Hello"))).rejects.toBeInstanceOf(ModelFailed)
  expect(await parley.credits.balance("ann")).toMatchObject({ available: 100, held: 0 })
})

it("the clock stands still until it is moved, and a period that is due begins when it is reset", async () => {
  await using parley = await createTestParley({
    now: new Date("2031-03-05T10:00:00Z"),
    config: { tiers: { free: { monthlyCredits: 2 } } }
  })
  parley.model.says("Hello.", { freshInput: 1_000 })
  await (await parley.chat.send("ann", ask("Hello"))).text()
  await expect(parley.chat.send("ann", ask("Again"))).rejects.toBeInstanceOf(InsufficientCredits)
  expect((await parley.credits.balance("ann")).nextResetAt).toBe(Date.parse("2031-04-05T10:00:00Z"))
  parley.time.set(new Date("2031-04-05T10:00:00Z"))
  await parley.credits.reset()
  expect((await parley.credits.balance("ann")).available).toBe(2)
})

it("a text is there to be asked about once it is added", async () => {
  await using parley = await createTestParley()
  const { id, status } = await parley.addText({ userId: "ann", filename: "a.txt", text: "Storks nest on chimneys." })
  expect(status).toBe("ready")
  const reply = await parley.chat.send("ann", { ...ask("Where do storks nest?"), documentIds: [id] })
  expect(reply.sources).toHaveLength(1)
  await reply.text()
})

it("without models and a parser, credits work, texts are read, and the rest is refused by name", async () => {
  const parley = await createParley({ ...(await openInMemory()), work: false })
  expect(await parley.credits.balance("ann")).toMatchObject({ available: 100 })
  await expect(parley.chat.send("ann", ask("Hello"))).rejects.toBeInstanceOf(ModelUnavailable)
  await parley.close()
  const parse = (type: "txt" | "pdf") =>
    Effect.runPromise(textParser.parse({ type, bytes: new TextEncoder().encode("Hello"), userId: "ann" }))
  expect(await parse("txt")).toEqual({ text: "Hello", pageStarts: null })
  await expect(parse("pdf")).rejects.toMatchObject({ _tag: "DocumentUnreadable", failure: "unreadable" })
})
