import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeRepeatedText } from "../../src/vendor/repeatedText.ts"

const chunk = (content: string, rest: object = {}) =>
  JSON.stringify({ id: "c1", choices: [{ index: 0, delta: { content }, finish_reason: null }], ...rest })

const contentOf = (data: string): unknown => JSON.parse(data).choices[0].delta.content

/** Learns from one event and reads another. */
const readAfter = (learned: string, data: string): string | undefined => {
  const repeated = makeRepeatedText("content")
  repeated.learn(learned, String(contentOf(learned)))
  return repeated.read(data)
}

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom('"', "\\", "\n", "\u2028", "\u{1F600}", "\ud83d", "n", "}", ",", "content") })
)

describe("an event that repeats another but for its text", () => {
  it("is read where its text stands for itself", () => {
    expect(readAfter(chunk("Hello"), chunk(" words, ünd 😀 {}"))).toBe(" words, ünd 😀 {}")
    expect(
      readAfter('{"choices": [{"delta": {"content" : "a"}}]}', '{"choices": [{"delta": {"content" : "b"}}]}')
    ).toBe("b")
  })

  it("has the text that parsing finds, and nothing else that parsing would find differs", () => {
    fc.assert(
      fc.property(text, text, fc.boolean(), (first, second, spaced) => {
        const write = (each: string) => (spaced ? JSON.stringify(JSON.parse(chunk(each)), null, 1) : chunk(each))
        const read = readAfter(write(first), write(second))
        if (read !== undefined) expect(write(read)).toBe(write(second))
      })
    )
  })

  it("is parsed if anything but its text differs, for any text", () => {
    for (const other of [
      chunk("b", { id: "c2" }),
      chunk("b", { usage: { prompt_tokens: 1 } }),
      chunk("b").replace("null", '"stop"'),
      chunk("b").replace('"b"', '"b","refusal":"c"'),
      chunk('b","refusal":"c'),
      chunk("b\\"),
      chunk("b\n"),
      chunk("b").replace('"b"', '"b\n"'),
      chunk("b").slice(0, -1),
      chunk("b").slice(1),
      "[DONE]",
      ""
    ]) {
      expect(readAfter(chunk("a"), other), other).toBeUndefined()
    }
  })

  it("is not learned where the text may be somewhere else", () => {
    for (const learned of [
      JSON.stringify({ content: "a", choices: [{ delta: { content: "a" } }] }),
      JSON.stringify({ choices: [{ delta: { content: "a" } }, { delta: { content: "b" } }] }),
      '{"choices":[{"delta":{"content":"\\u0061"}}]}',
      '{"choices":[{"delta":{"content":"b","content":"a"}}]}',
      '{"choices":[{"delta":{"content":["x"],"said":"a"}}]}'
    ]) {
      const repeated = makeRepeatedText("content")
      repeated.learn(learned, "a")
      expect(repeated.read(learned), learned).toBeUndefined()
    }
  })
})
