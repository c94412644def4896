import { describe, expect, it } from "vitest"
import { lexMarkdown, normalMarkdown } from "../../app/markdown/lexMarkdown.ts"
import { safeAddress } from "../../app/markdown/safeAddress.ts"
import { StreamedBlocks } from "../../app/markdown/StreamedBlocks.ts"
import { hostileReplies } from "../../../../test/support/hostileReplies.ts"
import { makesNothingForeign } from "./makesNothingForeign.ts"

makesNothingForeign(4)

describe("a corpus of hostile and odd replies", () => {
  it("has at least 200 of them", () => {
    expect(new Set(hostileReplies).size).toBeGreaterThanOrEqual(200)
  })

  it("is read the same word by word as at once", () => {
    for (const reply of hostileReplies) {
      const text = normalMarkdown(`${reply}\n\nA paragraph.\n\n- a list\n\nThe end.\n`)
      const streamed = new StreamedBlocks()
      for (let length = 0; length < text.length; length += 3) streamed.update(text.slice(0, length))
      const blocks = streamed.update(text).map(({ token }) => token.raw)
      expect([reply, blocks.join("")]).toEqual([
        reply,
        new StreamedBlocks()
          .update(text)
          .map(({ token }) => token.raw)
          .join("")
      ])
      if (!reply.includes("]:")) expect([reply, blocks]).toEqual([reply, lexMarkdown(text).map(({ raw }) => raw)])
    }
  })
})

describe("an address", () => {
  it.each(["https://example.org/a?b#c", "http://example.org", "mailto:ada@example.org"])(
    "%s may be a link",
    (address) => {
      expect(safeAddress(address)).toBeDefined()
    }
  )

  it.each([
    "javascript:alert(1)",
    "data:text/html,x",
    "//example.org",
    "/api/chats",
    "#top",
    "https://a:b@example.org",
    "ftp://x",
    ""
  ])("%s may not", (address) => {
    expect(safeAddress(address)).toBeUndefined()
  })
})
