import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { csvLine } from "../src/routes/bots/csv.ts"
import { expectProblem } from "./support/expectProblem.ts"
import { cookieFor, startServer, type TestServer } from "./support/startServer.ts"

const OWNER = "owner"

interface Row {
  readonly id: string
  readonly visitor: string
  readonly credits: number
  readonly firstQuestion: string
  readonly messages: ReadonlyArray<{ readonly content: string; readonly credits: number | null }>
}
interface Page {
  readonly conversations: ReadonlyArray<Row>
  readonly nextBefore: string | null
}

let server: TestServer
let bot: { readonly id: string; readonly publicKey: string }
beforeAll(async () => {
  const config = {
    models: { "model-a-mini": { creditsPer1kInput: 0, creditsPer1kOutput: 0, minimumCredits: 3 } },
    tiers: { free: { monthlyCredits: 12 } },
    widget: { perIpPerMinute: 1_000 }
  }
  server = await startServer({ parley: { work: false, config } })
  const { id, keys } = await server.parley.bots.create(OWNER, { displayName: "Ada" })
  bot = { id, publicKey: keys[0]?.publicKey ?? "" }
})
afterAll(() => server.close())

const say = async (visitorId: string, message: string, conversationId?: string) => {
  const answer = await server.post("/api/widget/chat", { publicKey: bot.publicKey, visitorId, message, conversationId })
  await answer.text()
  return answer.headers.get("x-conversation-id") ?? ""
}
const get = async (path: string, user = OWNER) => {
  const cookie = await cookieFor(user, { claims: { iat: Math.floor(Date.now() / 1_000) } })
  return server.fetch(`/api/bots/${bot.id}/conversations${path}`, { headers: { cookie } })
}
const page = async (query = ""): Promise<Page> => (await get(query)).json() as Promise<Page>

describe("the owner of a bot", () => {
  test("reads what visitors said, what it cost, and where the bot declined; searches, exports and deletes it", async () => {
    const first = await say("v-1", "When do you open?")
    await say("v-1", "And on Sundays?", first)
    const second = await say("v-2", '=HYPERLINK("http://evil"), "quoted"\nand a line')
    await say("v-1", "Again from the beginning")
    const declined = await say("v-3", "Anybody there?")

    const { conversations, nextBefore } = await page()
    expect(nextBefore).toBeNull()
    expect(conversations.map(({ credits, firstQuestion }) => [firstQuestion.slice(0, 10), credits])).toEqual([
      ["Anybody th", 0],
      ["Again from", 3],
      ["=HYPERLINK", 3],
      ["When do yo", 6]
    ])
    const visitors = conversations.map(({ visitor }) => visitor)
    expect([visitors[1], new Set(visitors).size]).toEqual([visitors[3], 3])
    expect(JSON.stringify(conversations)).not.toContain("v-1")

    const walked: Array<string> = []
    for (let before: string | null = ""; before !== null;) {
      const next = await page(`?limit=1${before === "" ? "" : `&before=${before}`}`)
      walked.push(...next.conversations.map(({ id }) => id))
      before = next.nextBefore
    }
    expect(walked).toEqual(conversations.map(({ id }) => id))
    expect((await page("?search=SUNDAYS")).conversations.map(({ id }) => id)).toEqual([first])

    const one = (await (await get(`/${first}`)).json()) as Row
    expect(one.messages.map(({ content, credits }) => [content, credits])).toEqual([
      ["When do you open?", null],
      ["Hello there.", 3],
      ["And on Sundays?", null],
      ["Hello there.", 3]
    ])
    expect(((await (await get(`/${declined}`)).json()) as Row).messages).toMatchObject([
      { role: "user" },
      { role: "assistant", model: null, credits: null }
    ])

    const lines = (await (await get(".jsonl")).text()).trimEnd().split("\n")
    const exported = lines.map((line) => JSON.parse(line) as Row)
    expect(new Set(exported.map(({ id }) => id))).toEqual(new Set(walked))
    expect(exported.find(({ id }) => id === first)).toMatchObject({ credits: 6, messages: one.messages })

    const table = await get(".csv")
    expect(table.headers.get("content-type")).toBe("text/csv; charset=utf-8")
    expect(table.headers.get("content-disposition")).toBe('attachment; filename="conversations.csv"')
    const csv = new TextDecoder("utf-8", { ignoreBOM: true }).decode(await table.arrayBuffer())
    expect(csv.startsWith("\uFEFFconversation,visitor,")).toBe(true)
    expect(csv).toContain(`,"'=HYPERLINK(""http://evil""), ""quoted""\nand a line",`)

    expect(
      (await server.fetch(`/api/bots/${bot.id}/conversations/${second}`, { method: "DELETE", user: OWNER })).status
    ).toBe(204)
    await expectProblem(await get(`/${second}`), 404, "conversation_not_found")
    expect((await page()).conversations).toHaveLength(3)
    const going = await server.post("/api/widget/chat", {
      ...{ publicKey: bot.publicKey, visitorId: "v-2", message: "Hi", conversationId: second }
    })
    await expectProblem(going, 404, "conversation_not_found")
  })

  test("gets 400 for a place that no page gave", async () => {
    for (const before of ["nonsense", "1", `x_${crypto.randomUUID()}`, `99999999999999999_${crypto.randomUUID()}`]) {
      await expectProblem(await get(`?before=${before}`), 400, "invalid_request")
    }
  })

  test("finds none of another bot's conversations, nor chats of their own, under this bot", async () => {
    const own = await server.post("/api/chat", { messages: [{ role: "user", content: "Mine." }] }, "another")
    await own.text()
    const other = await server.parley.bots.create(OWNER, { displayName: "Other" })
    const [{ id } = { id: "" }] = (await page()).conversations
    for (const conversationId of [id, own.headers.get("x-chat-id")]) {
      const asked = server.fetch(`/api/bots/${other.id}/conversations/${conversationId}`, { user: OWNER })
      await expectProblem(await asked, 404, "conversation_not_found")
    }
  })
})

test.each([
  ["plain", "plain"],
  ['a "b"', '"a ""b"""'],
  ["a,b", '"a,b"'],
  ["a\r\nb", '"a\r\nb"'],
  ["=1+1", "'=1+1"],
  ["+1", "'+1"],
  ["-1", "'-1"],
  ["@x", "'@x"],
  ["\tx", "'\tx"],
  ["\rx", `"'\rx"`],
  ["\n=1+1", `"'\n=1+1"`],
  ["＝1+1", "'＝1+1"],
  ["＋1", "'＋1"],
  ["－1", "'－1"],
  ["＠x", "'＠x"]
])("a cell of a table cannot end its cell, its row, or calculate: %j", (text, cell) => {
  expect(csvLine([text, 7, null])).toBe(`${cell},7,\r\n`)
})
