import { afterAll, describe, expect, it } from "vitest"
import { writePdf } from "../../../adapters-documents/test/fixtures/writePdf.ts"
import { temporaryFolder } from "../processes/ParleyProcess.ts"
import { startServer, Visitor } from "../processes/RunningServer.ts"
import { dropSchema } from "./dropSchema.ts"
import { type Lateness, MEASURED, type Measured, measured, measureFrom, measureNothing } from "./measuredServer.ts"

const PAGES = 3_000
const ASKED = 12
/** The server answers others meanwhile: its thread computes for no longer than this without turning to them. */
const LONGEST_TURN_MS = 50
/** A long computation of the product occurs in each pass; delays of a busy machine occur in different places. */
const PASSES = 3
/** Concurrent people who chat, one reply after another. */
const CHATTERS = 2
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

/** Chats about a document until it is stopped; returns the number of replies. */
const chatUntil = async (visitor: Visitor, stop: AbortSignal): Promise<number> => {
  const answer = await visitor.upload("notes.txt", new TextEncoder().encode("The rotor has three blades.\n".repeat(40)))
  const { documentId } = (await answer.json()) as { documentId: string }
  for (let replies = 0; ; replies++) {
    if (stop.aborted && replies > 0) return replies
    const reply = await visitor.post("/api/chat", {
      messages: [{ role: "user", content: "How many blades has the rotor?" }],
      documentIds: [documentId]
    })
    const text = await reply.text()
    // The document may not be ready yet, and the limits bound the rate of requests.
    if (![200, 409, 429].includes(reply.status)) throw new Error(`A chat answered ${reply.status}: ${text}`)
    if (reply.status !== 200) {
      replies -= 1
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }
}

const figures = ({ count, max, p50, p99, p999 }: Lateness): string =>
  `${count} beats, p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, p99.9 ${p999.toFixed(1)}, max ${max.toFixed(1)} ms`

const inWords = ({ machine, server }: { readonly machine: Measured; readonly server: Measured }): string =>
  [
    `  late by the clock           ${figures(server.late)}`,
    `  without the machine's part  ${figures(server.own)}; longest turn ${server.turnMs.toFixed(1)} ms of processor time`,
    `  an idle process meanwhile   ${figures(machine.late)}`,
    `  the same without that part  ${figures(machine.own)}`,
    ...server.worst.map(
      ({ computedMs, helpersMs, lateMs, machineMs, ownMs, pagesRead, secondsIn }) =>
        `    at ${secondsIn.toFixed(1)} s: ${ownMs.toFixed(0)} ms of ${lateMs.toFixed(0)}; computed ${computedMs.toFixed(0)}, ready while others ran ${machineMs.toFixed(0)}, its helpers ${helpersMs.toFixed(0)}, ${pagesRead} pages read`
    )
  ].join("\n")

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

/** Checks the page of every code word, by the text and the pages from the server. */
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
    const chatters = await Promise.all(
      Array.from({ length: CHATTERS }, async (_, number) => {
        const visitor = new Visitor(server.url)
        await visitor.signIn(`chatter${number}@example.com`)
        return visitor
      })
    )
    const pass = async () => {
      const before = await measureFrom(server, folder.path)
      await using idle = await measureNothing()
      const stop = new AbortController()
      const chats = Promise.allSettled(chatters.map((visitor) => chatUntil(visitor, stop.signal)))
      try {
        const answer = await ann.upload("long.pdf", longPdf())
        const { documentId } = (await answer.json()) as { documentId: string }
        expect(await ready(ann, documentId)).toMatchObject({ pages: PAGES })
        return { documentId, before, server: measured(folder.path)!, machine: await idle.end() }
      } finally {
        stop.abort()
        for (const each of await chats) expect(each).toMatchObject({ status: "fulfilled" })
      }
    }
    const longest: Array<number> = []
    let last
    do {
      last = await pass()
      longest.push(last.server.turnMs)
      const growth = (last.server.resident - last.before.resident) / MEBIBYTE
      process.stdout.write(`${name}, pass ${longest.length}: memory +${growth.toFixed(0)} MiB\n${inWords(last)}\n`)
      expect(growth).toBeLessThan(MAX_GROWTH_MEBIBYTES)
    } while (Math.min(...longest) > LONGEST_TURN_MS && longest.length < PASSES)
    const { documentId } = last
    await expectAllPages(ann, documentId)
    for (let number = 0; number < ASKED; number++) {
      await expectCited(ann, documentId, 1 + Math.floor((number * (PAGES - 1)) / (ASKED - 1)))
    }
    expect(Math.min(...longest), "milliseconds of processor time in a turn").toBeLessThanOrEqual(LONGEST_TURN_MS)
  }, 1_800_000)
})
