import { createParley, errorStatuses, isParleyError, openInMemory, type Parley } from "@parley/core"
import { InvalidInput } from "@parley/core/effect"
import { describe, expect, it } from "vitest"
import { CALL_PARAMETERS } from "../../src/promise/checkedCalls.ts"

const open = async () => createParley({ ...(await openInMemory()), work: false })

const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error
  )

const noUsers = ["", "x".repeat(256), "a\0b", "\ud800", 7, null] as ReadonlyArray<string>

describe("what cannot name anything is refused before anything stores it", () => {
  it.each(noUsers)("the person %j", async (userId) => {
    const parley = await open()
    const calls: ReadonlyArray<(parley: Parley) => Promise<unknown>> = [
      ({ credits }) => credits.balance(userId),
      ({ credits }) => credits.grant({ userId, amount: 1, key: "k" }),
      ({ credits }) => credits.reserve({ userId, amount: 1, key: "k", source: "chat" }),
      ({ credits }) => credits.settle({ userId, key: "k" }, { lines: [] }),
      ({ credits }) => credits.renew({ userId, key: "k" }),
      ({ credits }) =>
        credits.meter({ userId, amount: 1, key: "k", source: "chat" }, () => Promise.resolve({ lines: [] })),
      ({ chat }) => chat.list({ userId, limit: 10, offset: 0 }),
      ({ documents }) => documents.list(userId),
      ({ bots }) => bots.list(userId),
      ({ models }) => models(userId)
    ]
    for (const call of calls) expect(await rejection(call(parley))).toBeInstanceOf(InvalidInput)
    await parley.close()
  })

  it("whatever the call: none asks a storage about an id that can name nothing", async () => {
    const parley = await open()
    const asked = { userId: "a\0b", owner: "a\0b", botId: "a\0b" }
    const objects = ["input", "bound", "name", "page", "part"]
    for (const [group, calls] of Object.entries(CALL_PARAMETERS)) {
      for (const [name, parameters] of Object.entries<ReadonlyArray<string>>(calls)) {
        // Proven by a token or a state, and by nobody's id.
        if (parameters.length === 0 || ["signOut", "callback"].includes(name)) continue
        for (const place of parameters.keys()) {
          const given = parameters.map((each, index) => {
            if (objects.includes(each)) return index === place ? { ...asked, before: "a\0b" } : {}
            return index === place ? "a\0b" : "ann"
          })
          const of = (parley as never)[group] as Readonly<
            Record<string, (...given: ReadonlyArray<unknown>) => Promise<unknown>>
          >
          const error = await rejection(of[name]?.(...given) ?? Promise.resolve())
          expect([group, name, place, error instanceof InvalidInput]).toEqual([group, name, place, true])
        }
      }
    }
    const visitor = { bot: "b", botOwner: "ann", visitor: "v\0" }
    expect(await rejection(parley.chat.get(visitor, "c"))).toMatchObject({ code: "invalid_input", field: "visitor" })
    const parties = { payer: "ann", documentsOwner: "ann", conversationOwner: visitor, source: "chat" }
    expect(await rejection(parley.chat.send(parties as never, { messages: [] }))).toBeInstanceOf(InvalidInput)
    expect(await rejection(parley.chat.list({ userId: "ann", limit: {}, offset: 0 } as never))).toBeInstanceOf(
      InvalidInput
    )
    await parley.close()
  })

  it("a key and a page that cannot be", async () => {
    const parley = await open()
    await parley.credits.balance("ann")
    for (const key of ["", "a\0", "x".repeat(1_001), "\ud800"]) {
      const error = await rejection(parley.credits.grant({ userId: "ann", amount: 1, key }))
      expect(error).toMatchObject({ code: "invalid_input", field: "key" })
    }
    for (const page of [{ limit: 0 }, { limit: 1_001 }, { limit: 1.5 }, { limit: Number.NaN }, { offset: -1 }]) {
      const input = { userId: "ann", limit: 10, offset: 0, type: undefined, ...page }
      expect(await rejection(parley.credits.history(input))).toMatchObject({ code: "invalid_input" })
      expect(await rejection(parley.chat.list(input))).toMatchObject({ code: "invalid_input" })
    }
    await parley.close()
  })

  it.each([[undefined], [7], ["seven"]])(
    "a receipt's line with %j in place of its words and figures",
    async (value) => {
      const parley = await open()
      await parley.credits.balance("ann")
      await parley.credits.reserve({ userId: "ann", amount: 5, key: "k", source: "chat" })
      const lines = [{ label: value, quantity: value, unitPrice: value }] as never
      expect(await rejection(parley.credits.settle({ userId: "ann", key: "k" }, { lines }))).toMatchObject({
        code: "invalid_work"
      })
      await parley.close()
    }
  )
})

describe("a Parley that is closed", () => {
  it("says so, to every call", async () => {
    const parley = await open()
    await parley.close()
    const request = { messages: [{ role: "user" as const, content: "Hi" }] }
    for (const call of [
      parley.credits.balance("ann"),
      parley.chat.send("ann", request),
      parley.documents.list("ann"),
      parley.models("ann"),
      parley.credits.meter({ userId: "ann", amount: 1, key: "k", source: "chat" }, () => Promise.resolve({ lines: [] }))
    ]) {
      const error = await rejection(call)
      expect(error).toMatchObject({ code: "parley_closed" })
      expect(isParleyError(error)).toBe(true)
    }
  })
})

it("knows its own failures from others, and the status of each", async () => {
  const parley = await open()
  const error = await rejection(parley.credits.release({ userId: "ann", key: "k" }))
  expect(isParleyError(error) && errorStatuses[error.code]).toBe(404)
  for (const other of [
    new Error("x"),
    Object.assign(new Error("x"), { code: "ECONNREFUSED" }),
    "x",
    null,
    { code: "unauthorized" }
  ]) {
    expect(isParleyError(other)).toBe(false)
  }
  await parley.close()
})
