import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { expectProblem } from "./support/expectProblem.ts"
import { cookieFor, startServer, type TestServer } from "./support/startServer.ts"

const OWNER = "owner"

let server: TestServer
let bot: { readonly id: string; readonly publicKey: string }
let closed: string

beforeAll(async () => {
  server = await startServer({ parley: { work: false } })
  const make = async (visitorUploads: boolean) => {
    const { id, keys } = await server.parley.bots.create(OWNER, { displayName: "Ada", visitorUploads })
    return { id, publicKey: keys[0]?.publicKey ?? "" }
  }
  bot = await make(true)
  closed = (await make(false)).publicKey
})
afterAll(() => server.close())

const send = (fields: Readonly<Record<string, string>> = {}, content: BlobPart = "Storks.", name = "storks.txt") => {
  const form = new FormData()
  for (const [field, value] of Object.entries({ publicKey: bot.publicKey, visitorId: "v-1", ...fields })) {
    form.append(field, value)
  }
  form.append("file", new File([content], name))
  return server.fetch("/api/widget/files", { method: "POST", body: form })
}

interface Sent {
  readonly conversationId: string
}

const ofOwner = async (path: string, user = OWNER) =>
  server.fetch(path, { headers: { cookie: await cookieFor(user), origin: server.url } })

describe("a visitor's file", () => {
  test("begins a conversation, is shown in it without an id, and its owner downloads it there", async () => {
    const sent = await send()
    expect(sent.status).toBe(200)
    const { conversationId, ...attached } = (await sent.json()) as Sent
    const file = { filename: "storks.txt", status: "processing", reason: null }
    expect(attached).toEqual({ file })
    const own = { publicKey: bot.publicKey, visitorId: "v-1", conversationId }
    const read = await server.post("/api/widget/conversation", own)
    expect(await read.json()).toEqual({
      ...{ conversationId, state: "bot", hasEmail: false, messages: [] },
      files: [file]
    })
    const opened = (await (await ofOwner(`/api/bots/${bot.id}/conversations/${conversationId}`)).json()) as {
      readonly files: ReadonlyArray<{ readonly id: string }>
    }
    expect(opened.files).toMatchObject([{ filename: "storks.txt", bytes: 7, status: "processing" }])
    const path = `/api/documents/${opened.files[0]?.id ?? ""}/file`
    const download = await ofOwner(path)
    expect(await download.text()).toBe("Storks.")
    expect(download.headers.get("content-disposition")).toContain("storks.txt")
    expect((await ofOwner(path, "somebody")).status).toBe(404)
    expect((await server.fetch(path)).status).toBe(401)
    expect(await (await ofOwner("/api/documents")).json()).toEqual({ documents: [] })
  })

  test("goes on in the visitor's own conversation alone", async () => {
    const { conversationId } = (await (await send({ visitorId: "v-2" })).json()) as Sent
    const again = await send({ visitorId: "v-2", conversationId }, "More.", "more.txt")
    expect(await again.json()).toMatchObject({ conversationId })
    await expectProblem(await send({ visitorId: "v-3", conversationId }), 404, "conversation_not_found")
  })
})

describe("a visitor's file is refused", () => {
  test("unless the bot takes files, and without a bot or a visitor", async () => {
    await expectProblem(await send({ publicKey: closed }), 409, "visitor_uploads_off")
    await expectProblem(await send({ publicKey: "pk_unknown" }), 404, "bot_not_found")
    await expectProblem(await send({ visitorId: "" }), 400, "invalid_request")
  })

  test("above 5 MB, while it is read, and of a kind that is not read", async () => {
    const large = await send({}, new Uint8Array(5 * 1024 * 1024 + 1))
    expect(await expectProblem(large, 400, "file_rejected")).toMatchObject({ problem: "too-large" })
    const unknown = await send({}, "MZ", "a.exe")
    expect(await expectProblem(unknown, 400, "file_rejected")).toMatchObject({ problem: "type" })
  })

  test("without a file, and as a form that is none", async () => {
    const empty = await server.fetch("/api/widget/files", { method: "POST", body: new FormData() })
    await expectProblem(empty, 400, "invalid_upload")
    await expectProblem(await server.post("/api/widget/files", { publicKey: bot.publicKey }), 400, "invalid_upload")
  })

  test("after the most of an address in an hour, with the time to wait", async () => {
    let answer = await send({ publicKey: bot.publicKey, visitorId: "v-9" }, "MZ", "a.exe")
    for (let sent = 0; sent < 25 && answer.status !== 429; sent += 1) answer = await send({}, "MZ", "a.exe")
    await expectProblem(answer, 429, "visitor_uploads_limited")
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0)
  })
})
