import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { expectProblem } from "./support/expectProblem.ts"
import { startServer, type TestServer } from "./support/startServer.ts"

const OWNER = "owner"

let server: TestServer
let publicKey: string
beforeAll(async () => {
  const config = {
    tiers: { free: { monthlyCredits: 100_000 } },
    widget: { perIpPerMinute: 100_000, perBotPerMinute: 100_000, perConversationPerMinute: 100_000 }
  }
  server = await startServer({ parley: { work: false, config } })
  const bot = await server.parley.bots.create(OWNER, { displayName: "Ada", suggestedQuestions: ["Why?"] })
  publicKey = bot.keys[0]?.publicKey ?? ""
})
afterAll(() => server.close())

const chat = (more: object = {}, to = server) =>
  to.post("/api/widget/chat", { publicKey, visitorId: "v-1", message: "Hi", ...more })
const conversation = (conversationId: unknown, more: object = {}) =>
  server.post("/api/widget/conversation", { publicKey, visitorId: "v-1", conversationId, ...more })

describe("the widget's configuration", () => {
  test("is what the bot shows of itself, and may be kept for a moment", async () => {
    const answer = await server.fetch(`/api/widget/config/${publicKey}`)
    expect(await answer.json()).toEqual({
      displayName: "Ada",
      welcomeMessage: "Hello! How can I help you?",
      primaryColor: "#2563eb",
      position: "auto",
      launcherText: null,
      cornerRadius: 18,
      font: "system",
      colorScheme: "auto",
      suggestedQuestions: ["Why?"],
      welcomeCards: [],
      showSources: true,
      visitorUploads: false,
      handOver: false,
      personName: null,
      opensAt: null
    })
    expect(answer.headers.get("cache-control")).toBe("public, max-age=30")
  })
})

test("the widget's configuration has the look that the owner chose, and the launcher's words by language", async () => {
  const look = {
    position: "left",
    launcherText: "Ask us",
    cornerRadius: 0,
    font: "serif",
    colorScheme: "dark"
  } as const
  const translations = { de: { launcherText: "Frag uns" } }
  const bot = await server.parley.bots.create(OWNER, { displayName: "Ada", ...look, translations })
  const config = async (query: string) =>
    (await server.fetch(`/api/widget/config/${bot.keys[0]?.publicKey}${query}`)).json()
  expect(await config("")).toMatchObject(look)
  expect(await config("?lang=de")).toMatchObject({ ...look, launcherText: "Frag uns" })
})

describe("the configuration of the widget in a language", () => {
  const first = async (key: string, query: string) => {
    const answer = await server.fetch(`/api/widget/config/${key}${query}`)
    const { displayName, suggestedQuestions, welcomeCards, welcomeMessage } = (await answer.json()) as Record<
      string,
      unknown
    >
    return [displayName, welcomeMessage, suggestedQuestions, welcomeCards]
  }

  test("has the texts that the owner gave in it, and for all else those for all languages", async () => {
    const cards = [{ title: "Prices", link: "https://shop.example/prices" }]
    const prix = [{ title: "Prix", text: "Pour tous.", question: "Combien ?" }]
    const bot = await server.parley.bots.create(OWNER, {
      displayName: "Ada",
      welcomeMessage: "Hello!",
      suggestedQuestions: ["Why?"],
      welcomeCards: cards,
      translations: {
        fr: { welcomeMessage: "Bonjour !", welcomeCards: prix },
        ar: { suggestedQuestions: ["لماذا؟"] }
      }
    })
    const key = bot.keys[0]?.publicKey ?? ""
    expect(await first(key, "?lang=fr")).toEqual(["Ada", "Bonjour !", ["Why?"], prix])
    expect(await first(key, "?lang=ar-EG")).toEqual(["Ada", "Hello!", ["لماذا؟"], cards])
    for (const query of ["", "?lang=", "?lang=de", "?lang=tlh", "?lang=toString"]) {
      expect([query, await first(key, query)]).toEqual([query, ["Ada", "Hello!", ["Why?"], cards]])
    }
  })
})

describe("a visitor's message", () => {
  test("is answered with a stream of plain text and the conversation, which goes on", async () => {
    const first = await chat()
    expect(first.status).toBe(200)
    expect(first.headers.get("content-type")).toBe("text/plain; charset=utf-8")
    expect(first.headers.get("cache-control")).toContain("no-store")
    expect(first.headers.get("x-accel-buffering")).toBe("no")
    const text = await first.text()
    expect(text).not.toBe("")
    const conversationId = first.headers.get("x-conversation-id") ?? ""
    const second = await chat({ conversationId, message: "And?" })
    await second.text()
    expect(second.headers.get("x-conversation-id")).toBe(conversationId)
    const transcript = await conversation(conversationId)
    expect(await transcript.json()).toMatchObject({
      conversationId,
      messages: [
        { role: "user", content: "Hi", state: "complete", sources: [] },
        { role: "assistant", content: text, state: "complete", sources: [] },
        { role: "user", content: "And?" },
        { role: "assistant" }
      ]
    })
  })

  test.each([
    ["no visitor", { visitorId: undefined }],
    ["an empty visitor", { visitorId: "" }],
    ["a visitor of 201 characters", { visitorId: "x".repeat(201) }],
    ["a visitor with NUL", { visitorId: "a\0b" }],
    ["a visitor that is a number", { visitorId: 7 }],
    ["no message", { message: undefined }],
    ["a blank message", { message: " \n" }],
    ["half a character", { message: "\ud83d" }],
    ["a message that is a list", { message: ["Hi"] }],
    ["no key", { publicKey: undefined }],
    ["a conversation that is a number", { conversationId: 7 }]
  ])("with %s is 400", async (_, more) => {
    await expectProblem(await chat(more), 400, "invalid_request")
  })

  test("that is no JSON is 400, and one over the limit 413", async () => {
    await expectProblem(await server.post("/api/widget/chat", "{"), 400, "invalid_request")
    await expectProblem(await chat({ message: "x".repeat(1024 * 1024) }), 413, "payload_too_large")
  })

  test("that is longer than visitors may write is 400 with a code of its own", async () => {
    await expectProblem(await chat({ message: "x".repeat(4_001) }), 400, "message_too_long")
  })

  test("unknown, malformed and switched-off keys get the same 404, byte for byte but the request id", async () => {
    const off = await server.parley.bots.create(OWNER, { displayName: "Off", active: false })
    const keys = [`pk_${"0".repeat(32)}`, "pk_", "", "nonsense'", "x".repeat(10_000), off.keys[0]?.publicKey ?? ""]
    const bodies = await Promise.all(
      keys.map(async (key) => {
        const answer = await chat({ publicKey: key })
        expect(answer.status).toBe(404)
        return (await answer.text()).replace(/"requestId":"[^"]+"/, "")
      })
    )
    expect(new Set(bodies).size).toBe(1)
    expect(bodies[0]).toContain("bot_not_found")
    for (const key of keys.filter((each) => each !== "").slice(0, 3)) {
      await expectProblem(await server.fetch(`/api/widget/config/${encodeURIComponent(key)}`), 404, "bot_not_found")
    }
  })

  test("another visitor's conversation looks like one that does not exist, byte for byte except the request id", async () => {
    const theirs = await chat({ visitorId: "v-2" })
    await theirs.text()
    const ids = [theirs.headers.get("x-conversation-id"), crypto.randomUUID(), "nonsense"]
    const asked = ids.flatMap((conversationId) => [chat({ conversationId }), conversation(conversationId)])
    const bodies = await Promise.all(
      asked.map(async (answering) => {
        const answer = await answering
        return `${answer.status} ${(await answer.text()).replace(/"requestId":"[^"]+"/, "")}`
      })
    )
    expect(new Set(bodies).size).toBe(1)
    expect(bodies[0]).toContain("404")
    expect(bodies[0]).toContain("conversation_not_found")
  })

  test("'s reply is rated by this visitor alone, with the key of its bot", async () => {
    const answer = await chat()
    await answer.text()
    const conversationId = answer.headers.get("x-conversation-id") ?? ""
    const messageId = answer.headers.get("x-message-id") ?? ""
    const other = await server.parley.bots.create(OWNER, { displayName: "Other" })
    const rate = (more: object = {}) =>
      server.post("/api/widget/rating", {
        ...{ publicKey, visitorId: "v-1", conversationId, messageId, rating: "bad" },
        ...more
      })
    for (const foreign of [
      { visitorId: "v-2" },
      { publicKey: other.keys[0]?.publicKey },
      { conversationId: crypto.randomUUID() },
      { messageId: crypto.randomUUID() },
      { messageId: "no id" }
    ]) {
      await expectProblem(await rate(foreign), 404, "conversation_not_found")
    }
    const shown = async () => {
      const { messages } = (await (await conversation(conversationId)).json()) as {
        messages: ReadonlyArray<{ ratable: boolean; rating: string | null }>
      }
      return messages.map(({ ratable, rating }) => [ratable, rating])
    }
    expect(await shown()).toEqual([
      [false, null],
      [true, null]
    ])
    expect((await rate()).status).toBe(204)
    expect((await shown())[1]).toEqual([true, "bad"])
    expect((await rate({ rating: null })).status).toBe(204)
    expect((await shown())[1]).toEqual([true, null])
  })

  test("a failure before the first word is 500, and after it the stream is destroyed, not ended", async () => {
    const usual = server.model.answer
    const silent = server.model.nextCall()
    const failing = chat()
    ;(await silent).fail("unavailable", { fault: "the vendor's own words" })
    const failed = await failing
    expect(failed.status).toBe(500)
    expect(await failed.text()).not.toContain("vendor")
    const speaking = server.model.nextCall()
    const asking = chat()
    const call = await speaking
    call.say("Hal")
    const broken = await asking
    expect(broken.status).toBe(200)
    const conversationId = broken.headers.get("x-conversation-id")
    call.fail("unavailable")
    await expect(broken.text()).rejects.toThrow()
    server.model.answer = usual
    expect(await (await conversation(conversationId)).json()).toMatchObject({
      messages: [{ content: "Hi" }, { content: "Hal", state: "failed" }]
    })
  })
})

describe("a bot whose owner has no credits left", () => {
  test("declines with 200 and a conversation that can be gone on with", async () => {
    const poor = await startServer({ parley: { work: false, config: { tiers: { free: { monthlyCredits: 0 } } } } })
    const { keys } = await poor.parley.bots.create(OWNER, { displayName: "Ada", declineText: "Ask me tomorrow." })
    const key = { publicKey: keys[0]?.publicKey }
    const first = await chat(key, poor)
    expect([first.status, await first.text()]).toEqual([200, "Ask me tomorrow."])
    expect(first.headers.get("content-type")).toBe("text/plain; charset=utf-8")
    const conversationId = first.headers.get("x-conversation-id")
    const next = await chat({ ...key, conversationId }, poor)
    expect([next.status, next.headers.get("x-conversation-id")]).toEqual([200, conversationId])
    await poor.close()
  })

  test("or whose day's limit is used up, is 429 with the time until the next day", async () => {
    const capped = await startServer({ parley: { work: false, config: { widget: { ownerDailyCredits: 0 } } } })
    const { keys } = await capped.parley.bots.create(OWNER, { displayName: "Ada" })
    const refused = await chat({ publicKey: keys[0]?.publicKey }, capped)
    const seconds = Number(refused.headers.get("retry-after"))
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThanOrEqual(86_400)
    expect(refused.headers.get("ratelimit")).toBe(`"day";r=0;t=${seconds}`)
    await expectProblem(refused, 429, "bot_resting")
    await capped.close()
  })
})
