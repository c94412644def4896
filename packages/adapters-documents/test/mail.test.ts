import { describe, expect, it } from "vitest"
import { Effect } from "effect"
import { ATTACHMENT_KINDS } from "../src/attachmentKinds.ts"
import { openDocumentParser } from "../src/openDocumentParser.ts"
import { DEFAULT_PARSER_LIMITS } from "../src/ParserLimits.ts"
import { parseDocument } from "../src/parsing/parseDocument.ts"
import { writePdf } from "./fixtures/writePdf.ts"
import { writeXlsx } from "./fixtures/writeXlsx.ts"

interface Part {
  readonly type: string
  readonly name?: string
  readonly content: string | Uint8Array
  readonly headers?: ReadonlyArray<string>
}

const partText = ({ content, headers = [], name, type }: Part): string =>
  [
    `Content-Type: ${type}`,
    "Content-Transfer-Encoding: base64",
    ...(name === undefined ? [] : [`Content-Disposition: attachment; filename="${name}"`]),
    ...headers,
    "",
    Buffer.from(content).toString("base64")
  ].join("\r\n")

const HEAD = [
  "From: Ann Example <ann@example.org>",
  "To: bob@example.org, Carl <carl@example.org>",
  "Subject: =?utf-8?B?UmVudCDigqwgOTAw?=",
  "Date: Fri, 31 Jan 2025 09:00:00 +0100",
  "MIME-Version: 1.0"
]

const mail = (parts: ReadonlyArray<Part>, kind = "mixed") =>
  new TextEncoder().encode(
    [
      ...HEAD,
      `Content-Type: multipart/${kind}; boundary="edge"`,
      "",
      ...parts.map((part) => `--edge\r\n${partText(part)}`),
      "--edge--",
      ""
    ].join("\r\n")
  )

const read = (bytes: Uint8Array) => parseDocument("mail", bytes, DEFAULT_PARSER_LIMITS, ATTACHMENT_KINDS)
const plain = (content: string): Part => ({ type: "text/plain; charset=utf-8", content })
const TOP =
  "Rent € 900\n\nFrom: Ann Example <ann@example.org>\nTo: <bob@example.org>, Carl <carl@example.org>\nDate: 2025-01-31T08:00:00.000Z"

describe("a message", () => {
  it("has its head, its text and its attachments under their names, with their headings", async () => {
    const { headings, text } = await read(
      mail([
        plain("The rent is 900.\r\n"),
        { type: "application/pdf", name: "lease.pdf", content: writePdf([["The lease ends in May."]]) },
        {
          type: "application/vnd.ms-excel",
          name: "prices.xlsx",
          content: writeXlsx([
            {
              name: "S",
              rows: [
                ["a", "b", "c"],
                ["1", "2", "3"]
              ]
            }
          ])
        }
      ])
    )
    expect(text).toBe(
      `${TOP}\n\nThe rent is 900.\n\nlease.pdf\n\nThe lease ends in May.\n\nprices.xlsx\n\nS\n\na\tb\tc\na: 1\tb: 2\tc: 3`
    )
    expect(headings?.map(({ level, title }) => [level, title])).toEqual([
      [1, "Rent € 900"],
      [1, "lease.pdf"],
      [1, "prices.xlsx"],
      [2, "S"]
    ])
    for (const { start, title } of headings ?? []) expect(text.slice(start, start + title.length)).toBe(title)
  })

  it("of HTML alone has the text of that, and no pictures of it", async () => {
    const { text } = await read(
      mail(
        [
          { type: "text/html; charset=utf-8", content: `<h2>Offer</h2><p>Only <b>now</b>.</p><img src="cid:a">` },
          { type: "image/png", name: "logo.png", content: "png", headers: ["Content-ID: <a>"] }
        ],
        "related"
      )
    )
    expect(text).toBe(`${TOP}\n\nOffer\n\nOnly now.`)
  })

  it("says of an attachment that cannot be read why, and is read otherwise", async () => {
    const { text } = await read(
      mail([
        plain("See below."),
        { type: "application/zip", name: "all.zip", content: "PK" },
        { type: "application/pdf", name: "broken.pdf", content: "%PDF-1.7 half" }
      ])
    )
    expect(text).toContain("all.zip\n\nThis attachment is of a type that is not read.")
    expect(text).toContain("broken.pdf\n\nThis attachment was not read. The PDF is incomplete")
  })

  it("is read with its attachments in the fenced process", async () => {
    const { close, parser } = await openDocumentParser()
    try {
      const bytes = mail([plain("Hello"), { type: "application/pdf", name: "a.pdf", content: writePdf([["Inside."]]) }])
      const parsed = await Effect.runPromise(parser.parse({ type: "eml", bytes, userId: "ann" }))
      expect(parsed.text).toBe(`${TOP}\n\nHello\n\na.pdf\n\nInside.`)
    } finally {
      await close()
    }
  })
})
