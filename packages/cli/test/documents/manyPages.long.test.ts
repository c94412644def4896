import { afterAll, describe, expect, it } from "vitest"
import { writePdf } from "../../../adapters-documents/test/fixtures/writePdf.ts"
import { temporaryFolder } from "../processes/ParleyProcess.ts"
import { startServer, Visitor } from "../processes/RunningServer.ts"
import { dropSchema } from "./dropSchema.ts"
import { MEASURED, measured, measureFrom } from "./measuredServer.ts"

const PAGES = 3_000
const ASKED = 12
/** The server answers others meanwhile: its thread computes for no longer than this without turning to them. */
const LONGEST_TURN_MS = 50
const MEBIBYTE = 1024 * 1024
const MAX_GROWTH_MEBIBYTES = 400

const url = process.env["TEST_DATABASE_URL"] ?? ""

/** A word of letters that no other page has. */
const codeWord = (page: number): string =>
  `zq${Array.from(String(page), (digit) => "bcdfghjkmn".charAt(Number(digit))).join("a")}x`

const longPdf = (): Uint8Array =>
  writePdf(
    Array.from({ length: PAGES }, (_, index) => [
      "Annual report of the works",
      "",
      `The code word of this page is ${codeWord(index + 1)}, and no other page has it.`,
      ...Array.from({ length: 12 }, (_line, line) => `Line ${line + 1} speaks of lift, drag and the wear of blades.`),
      "",
      `Page ${index + 1}`
    ])
  )

interface Source {
  readonly page: number | null
  readonly start: number
  readonly end: number
  readonly text: string
}

const ready = async (visitor: Visitor, id: string) => {
  for (;;) {
    const document = await visitor.getJson<{ status: string; reason: string | null; pages: number }>(
      `/api/documents/${id}`
    )
    if (document.status === "failed") throw new Error(document.reason ?? "")
    if (document.status === "ready") return document
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

const expectCited = async (visitor: Visitor, documentId: string, page: number) => {
  const answer = await visitor.post("/api/chat", {
    messages: [{ role: "user", content: `On which page is the code word ${codeWord(page)}?` }],
    documentIds: [documentId]
  })
  expect(answer.status, answer.status === 200 ? "" : await answer.text()).toBe(200)
  await answer.text()
  const chat = await visitor.getJson<{ messages: ReadonlyArray<{ sources: ReadonlyArray<Source> }> }>(
    `/api/chats/${answer.headers.get("x-chat-id")}`
  )
  const source = chat.messages[1]?.sources.find(({ text }) => text.includes(codeWord(page)))
  expect(source?.page, codeWord(page)).toBe(page)
  const { end = 0, start = 0, text = "" } = source ?? {}
  const stretch = await visitor.getJson<{ text: string }>(`/api/documents/${documentId}/text?from=${start}&to=${end}`)
  expect(stretch.text).toBe(text)
}

/** The page of every code word, by the text and the pages that the server gives. */
const expectAllPages = async (visitor: Visitor, documentId: string) => {
  const found = new Map<string, number>()
  for (let from = 0; ;) {
    const stretch = await visitor.getJson<{
      text: string
      to: number
      length: number
      pages: ReadonlyArray<{ page: number; start: number; end: number }>
    }>(`/api/documents/${documentId}/text?from=${from}`)
    for (const { end, page, start } of stretch.pages) {
      const word = /zq[a-z]+x/u.exec(stretch.text.slice(Math.max(0, start - from), end - from))?.[0]
      if (word !== undefined) found.set(word, page)
    }
    from = stretch.to
    if (from >= stretch.length) break
  }
  const wrong = Array.from({ length: PAGES }, (_, index) => index + 1).filter(
    (page) => found.get(codeWord(page)) !== page
  )
  expect(wrong).toEqual([])
}

const schema = `pages_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
const NONE: Readonly<Record<string, string>> = {}
const DATABASES = [
  { name: "the embedded database", environment: NONE },
  ...(url === "" ? [] : [{ name: "a Postgres server", environment: { DATABASE_URL: url, PARLEY_DB_SCHEMA: schema } }])
]

describe.each(DATABASES)("a pdf of 3,000 pages, on $name", ({ environment, name }) => {
  afterAll(() => dropSchema(environment === NONE ? "" : url, schema))

  it("is cited to the right page each time, while the server has its memory and its thread for others", async () => {
    using folder = temporaryFolder()
    await using server = await startServer(folder.path, {
      ...environment,
      ...MEASURED
    })
    const ann = new Visitor(server.url)
    await ann.signIn("ann@example.com")
    const before = await measureFrom(server, folder.path)
    const answer = await ann.upload("long.pdf", longPdf())
    const { documentId } = (await answer.json()) as { documentId: string }
    expect(await ready(ann, documentId)).toMatchObject({ pages: PAGES })
    const { delayMs, delayP99Ms, resident, turnMs } = measured(folder.path)!
    const growth = (resident - before.resident) / MEBIBYTE
    process.stdout.write(
      `${name}: longest turn ${turnMs.toFixed(1)} ms of processor time, delay p99 ${delayP99Ms.toFixed(1)} ms, longest ${delayMs.toFixed(1)} ms, memory +${growth.toFixed(0)} MiB\n`
    )
    await expectAllPages(ann, documentId)
    for (let number = 0; number < ASKED; number++) {
      await expectCited(ann, documentId, 1 + Math.floor((number * (PAGES - 1)) / (ASKED - 1)))
    }
    expect(growth).toBeLessThan(MAX_GROWTH_MEBIBYTES)
    expect(turnMs).toBeLessThanOrEqual(LONGEST_TURN_MS)
  }, 1_800_000)
})
