import { createParley, errorStatuses, isParleyError, openInMemory, type Parley, UserId } from "@parley/core"
import {
  BillingService,
  BotService,
  ChatService,
  ConversationService,
  CreditService,
  CrmAccess,
  CrmService,
  DocumentService,
  EventService,
  InvalidInput,
  JobService,
  MoneyReports,
  OperatorReports,
  SignOut,
  UserAccess,
  UserImport,
  UserService,
  WorkMeter
} from "@parley/core/effect"
import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { inputsOf } from "../../src/storage/inputs.ts"

const open = async () => createParley({ ...(await openInMemory()), work: false })

const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error
  )

const offered = {
  billing: [BillingService],
  bots: [BotService],
  chat: [ChatService],
  credits: [CreditService, WorkMeter],
  crm: [CrmService, CrmAccess],
  documents: [DocumentService],
  sessions: [SignOut],
  users: [UserAccess, UserService, UserImport],
  conversations: [ConversationService],
  reports: [OperatorReports, MoneyReports],
  events: [EventService],
  jobs: [JobService]
} as const

const noUsers = ["", "x".repeat(256), "a\0b", "\ud800", 7, null] as ReadonlyArray<string>

it.each(["topup:cs_1", "first:sub_1", "period:ann:2026-01-01", "reply:1", "refund:ch_1:5"])(
  "the key %j of the ledger's own events is refused for a grant and a correction, and stays free",
  async (key) => {
    const parley = await open()
    await parley.credits.balance("ann")
    const names = expect.objectContaining({ _tag: "InvalidInput" })
    expect(await rejection(parley.credits.grant({ userId: "ann", key, amount: 5 }))).toEqual(names)
    expect(await rejection(parley.credits.adjust({ userId: "ann", key, amount: 5, reason: "gift" }))).toEqual(names)
    expect((await parley.credits.history({ userId: "ann", limit: 10, offset: 0 })).total).toBe(1)
  }
)

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

  it("in any call: none asks a storage about an id that can name nothing", async () => {
    const parley = await open()
    const ids = ["userId", "owner", "botId", "chatId", "documentId", "messageId", "publicKey"]
    const refused: Array<string> = []
    for (const [group, services] of Object.entries(offered)) {
      for (const [name, parameters] of services.flatMap(({ inputs }) => Object.entries(inputs))) {
        const names = parameters.flatMap((parameter) => Object.keys(parameter))
        for (const [place, parameter] of names.entries()) {
          // An object is refused if it is empty, except one that only narrows a call.
          if (!ids.includes(parameter) && !["input", "bound", "name"].includes(parameter)) continue
          const given = names.map((each, index) => (index !== place ? "ann" : ids.includes(each) ? "a\0b" : {}))
          const calls = parley[group as keyof typeof offered] as unknown as Readonly<
            Record<string, (...given: ReadonlyArray<unknown>) => Promise<unknown>>
          >
          const error = await rejection(calls[name]?.(...given) ?? Promise.resolve())
          expect([group, name, place, error instanceof InvalidInput]).toEqual([group, name, place, true])
          refused.push(`${group}.${name}`)
        }
      }
    }
    expect(new Set(refused).size).toBeGreaterThan(35)
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

  it("names the parameter and what it takes, to a caller whose compiler checks nothing", async () => {
    const parley = await open()
    await parley.credits.grant({ userId: "ann", amount: 5, key: "k" })
    const limit = "limit: expected a whole number from 1 to 1000."
    const person = "a person's id: 1 to 255 characters, without NUL."
    const wrong: ReadonlyArray<readonly [() => Promise<unknown>, string]> = [
      [() => parley.credits.history({ userId: "ann" } as never), limit],
      [() => parley.credits.history({ userId: "ann", limit: "10", offset: 0 } as never), limit],
      [() => parley.credits.history({ limit: 10, offset: 0 } as never), `userId: expected ${person}`],
      [() => parley.credits.history(undefined as never), "input: expected object."],
      [() => parley.credits.balance(undefined as never), `userId: expected ${person}`],
      [() => parley.credits.grant({ userId: "ann", amount: "5", key: "l" } as never), "amount: expected number."],
      [
        () => parley.documents.upload({ userId: "ann", filename: "a.txt", bytes: "text" } as never),
        "bytes: expected a Uint8Array."
      ],
      [() => parley.chat.get({ person: 7 } as never, "c"), `person: expected ${person}`],
      [() => parley.chat.rename("ann", "c", 7 as never), "title: expected string."],
      [() => parley.chat.keepDocuments("ann", "c", ["d", 7] as never), "documentIds: expected string."]
    ]
    for (const [call, message] of wrong) {
      expect(await rejection(call())).toMatchObject({
        code: "invalid_input",
        message: expect.stringContaining(message)
      })
    }
    expect(await parley.credits.history({ userId: "ann", limit: 10, offset: 0 })).toMatchObject({ total: 2 })
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

it("the inputs of a call are compared with its parameters by the compiler", () => {
  const inputs = inputsOf<BotService["Service"]>()
  inputs({ get: [{ owner: UserId }, { botId: Schema.String }] })
  // @ts-expect-error A parameter is missing.
  inputs({ get: [{ owner: UserId }] })
  // @ts-expect-error There is no third parameter.
  inputs({ get: [{ owner: UserId }, { botId: Schema.String }, { more: Schema.String }] })
  // @ts-expect-error The id of a bot is no number.
  inputs({ get: [{ owner: UserId }, { botId: Schema.Number }] })
  // @ts-expect-error The service has no such call.
  expect(Object.keys(inputs({ fetch: [{ owner: UserId }] }))).toEqual(["fetch"])
})

it.each([
  [{ replies: { passageTokens: 0 } }, "replies.passageTokens: expected a whole number from 1 to 100000."],
  [{ replies: { prompt: "Hi" } }, "replies.prompt: expected"],
  [{ uploads: { maxByte: 5 } }, "uploads.maxByte: expected no field of this name."],
  [{ holdTtlMs: 0 }, "holdTtlMs: expected a whole number from 1 to 86400000."],
  [{ lowBalance: { share: 2 } }, "lowBalance: expected"]
])("the settings %j are refused, by the name of the setting", async (settings, message) => {
  const opening = createParley({ ...(await openInMemory()), ...(settings as object), work: false })
  expect(await rejection(opening)).toMatchObject({ code: "invalid_input", message: expect.stringContaining(message) })
})

it.each([
  ["model", { model: {} }],
  ["documents2", { documents2: "x" }],
  ["workers", { workers2: 1, workers: undefined }]
])("an option that createParley does not have is refused by its name: %s", async (_case, options) => {
  const [name] = Object.keys(options)
  const opening = createParley({ ...(await openInMemory()), ...(options as object), work: false })
  expect(await rejection(opening)).toMatchObject({
    code: "invalid_input",
    message: `${name}: expected no option of this name.`
  })
})

it("takes stores with calls of their own, as an opened database has", async () => {
  const stores = { ...(await openInMemory()), close: () => Promise.resolve(), checkReadiness: () => Promise.resolve() }
  await (await createParley({ ...stores, work: false })).close()
})

it("a field that a call does not have is refused by its name, before anything is done", async () => {
  const parley = await open()
  const calls: ReadonlyArray<(more: object) => Promise<unknown>> = [
    (more) => parley.credits.grant({ userId: "ann", amount: 5, key: "k", ...more }),
    (more) => parley.credits.history({ userId: "ann", limit: 1, offset: 0, ...more }),
    (more) => parley.credits.reset(more),
    (more) => parley.credits.verify(more),
    (more) =>
      parley.credits.meter(
        { userId: "ann", amount: 1, key: "k", source: "chat" },
        () => Promise.resolve({ lines: [] }),
        more
      ),
    (more) => parley.chat.send("ann", { messages: [{ role: "user", content: "Hi" }], ...more }),
    (more) => parley.chat.send("ann", { messages: [{ role: "user", content: "Hi" }] }, more),
    (more) => parley.documents.upload({ userId: "ann", filename: "a.txt", bytes: new Uint8Array(1), ...more }),
    (more) => parley.bots.create("ann", { displayName: "Help", ...more }),
    (more) => parley.users.list(more),
    (more) => parley.users.block("ann", { by: "ben", ...more }),
    (more) => parley.users.import([], more),
    (more) => parley.events.list(more),
    (more) => parley.jobs.list(more)
  ]
  for (const [place, call] of calls.entries()) {
    expect([place, await rejection(call({ colour: "red" }))]).toEqual([
      place,
      expect.objectContaining({ code: "invalid_input", message: "colour: expected no field of this name." })
    ])
  }
  expect((await parley.credits.history({ userId: "ann", limit: 1, offset: 0 })).total).toBe(0)
  await parley.close()
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
