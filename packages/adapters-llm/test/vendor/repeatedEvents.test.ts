import type { ReplyReader } from "@parley/core/adapter"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { anthropicReader } from "../../src/anthropic/anthropicReader.ts"
import { openAiReader } from "../../src/openai/openAiReader.ts"
import type { ServerSentEvent } from "../../src/vendor/serverSentEvents.ts"

type Reader = ReplyReader<ReadonlyArray<ServerSentEvent>>

/** JSON texts of a few characters that mean much in JSON, raw: some of them end the text early, or are no JSON at all. */
const rawText = fc.oneof(
  fc.constantFrom("", "a", "b", "null"),
  fc
    .array(
      fc.constantFrom(
        "a",
        "b",
        " ",
        "}",
        "{",
        ",",
        "\\n",
        "\\u0061",
        "\\ud83d",
        "\ud83d",
        "😀",
        '\\"',
        "\\",
        '"',
        "\n"
      ),
      { maxLength: 4 }
    )
    .map((pieces) => pieces.join(""))
)

/** The surroundings of texts: few, so that many events share them; some have the key twice, an end or a failure. */
const openAiEvent = fc
  .tuple(
    fc.constantFrom('"content"', '"con\\u0074ent"', '"content" ', '"refusal"', '"reasoning"'),
    rawText,
    fc.constantFrom(
      "",
      ',"content":"a"',
      ',"con\\u0074ent":"a"',
      ',"content":null',
      ',"refusal":"a"',
      ',"tool_calls":[{"content":"a"}]'
    ),
    fc.constantFrom("", ',"finish_reason":null', ',"finish_reason":"stop"', ',"finish_reason":"a"', ',"error":"a"'),
    fc.constantFrom("", ',{"delta":{"content":"a"}}', ',{"delta":{}}'),
    fc.constantFrom("", ',"usage":null', ',"usage":{"prompt_tokens":1,"completion_tokens":2}', ',"error":"a"')
  )
  .map(
    ([key, text, beside, choice, more, chunk]) =>
      `{"choices":[{"delta":{${key}:"${text}"${beside}}${choice}}${more}]${chunk}}`
  )

const anthropicEvent = fc
  .tuple(
    fc.constantFrom("content_block_delta", "content_block_delta", "content_block_delta", "message_delta", "error"),
    fc.constantFrom("text_delta", "text_delta", "text_delta", "thinking_delta", "te\\u0078t_delta"),
    fc.constantFrom('"text"', '"text"', '"te\\u0078t"', '"thinking"'),
    rawText,
    fc.constantFrom("", ',"text":"a"', ',"te\\u0078t":"a"', ',"type":"text_delta"', ',"stop_reason":"refusal"'),
    fc.constantFrom("", ',"usage":{"output_tokens":2}', ',"type":"message_stop"')
  )
  .map(
    ([type, kind, key, text, beside, more]) =>
      `{"type":"${type}","index":0,"delta":{"type":"${kind}",${key}:"${text}"${beside}}${more}}`
  )

/** The result of a reader for a sequence of events: parts, the end, or the name of the failure. */
const readingOf = (reader: Reader, events: ReadonlyArray<string>) => {
  const parts: Array<unknown> = []
  try {
    for (const data of events) for (const part of reader.read([{ data, event: undefined }])) parts.push(part)
  } catch (error) {
    return { parts, failed: error instanceof Error ? `${error.name}: ${error.message}` : error }
  }
  return { parts, end: reader.finish() }
}

/** The same events, none of which begins as another does, so that each is parsed. */
const parsed = (events: ReadonlyArray<string>) => events.map((data, place) => " ".repeat(place) + data)

describe.each<readonly [string, (model: string) => Reader, fc.Arbitrary<string>]>([
  ["OpenAI's", openAiReader, openAiEvent],
  ["Anthropic's", anthropicReader, anthropicEvent]
])("%s events that repeat one another", (_, reader, event) => {
  it("are read as if each had been parsed, for any texts and surroundings", () => {
    const events = fc
      .tuple(event, fc.array(fc.tuple(event, rawText), { maxLength: 6 }))
      .map(([first, others]) => [
        first,
        ...others.flatMap(([other, text]) => [first.replace('"a"', `"${text}"`), other])
      ])
    fc.assert(
      fc.property(fc.oneof(events, fc.array(fc.oneof(event, fc.constant("[DONE]")), { maxLength: 6 })), (each) => {
        expect(readingOf(reader("m"), each)).toEqual(readingOf(reader("m"), parsed(each)))
      }),
      { numRuns: 2_000 }
    )
  })
})
