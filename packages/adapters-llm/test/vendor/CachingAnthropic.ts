import { createHash } from "node:crypto"
import { once } from "node:events"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"

/** Prompts of fewer tokens up to a place are not kept there. */
export const LEAST_TOKENS = 1_024
/** For an earlier place, so many blocks before a marked one are compared. */
const LOOKBACK = 20
const MOST_MARKS = 4

interface Block {
  readonly type: "text"
  readonly text: string
  readonly cache_control?: { readonly type: "ephemeral" }
}
type Content = string | ReadonlyArray<Block>

export interface AnthropicRequest {
  readonly system?: Content
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content: Content }>
}

interface Counts {
  readonly input_tokens: number
  readonly cache_read_input_tokens: number
  readonly cache_creation_input_tokens: number
}

interface Placed {
  readonly tokens: number
  readonly isMarked: boolean
  /** Of all blocks up to here: equal for equal beginnings. */
  readonly digest: string
}

/** One token for each word and each sign, which only has to be the same for the same text. */
const tokensOf = (words: string): number => words.match(/[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu)?.length ?? 0

const blocksOf = (content: Content): ReadonlyArray<Block> =>
  typeof content === "string" ? [{ type: "text", text: content }] : content

/** The prompt's blocks in their order: the system's, then those of the messages. */
const placed = ({ messages, system = [] }: AnthropicRequest): ReadonlyArray<Placed> => {
  const all = [{ role: "system", content: system }, ...messages].flatMap(({ content, role }) =>
    blocksOf(content).map((block) => ({ role, block }))
  )
  let digest = ""
  return all.map(({ block, role }) => {
    if (block.text.trim() === "") throw new Error("A block of text is empty.")
    digest = createHash("sha256")
      .update(JSON.stringify([digest, role, block.text]))
      .digest("hex")
    return { tokens: tokensOf(block.text), isMarked: block.cache_control !== undefined, digest }
  })
}

/**
 * The cache of prompts as Anthropic describes it: a request writes the beginning up to each block that it marks, if this
 * has enough tokens, and reads the longest written beginning that ends at one of the blocks before its marks. Every
 * token is counted once: read, written, or neither.
 */
export class PromptCache {
  readonly #written = new Set<string>()

  count(request: AnthropicRequest): Counts {
    const blocks = placed(request)
    const marks = blocks.flatMap(({ isMarked }, place) => (isMarked ? [place] : []))
    if (marks.length > MOST_MARKS) throw new Error("Too many blocks are marked.")
    const upTo = (place: number) => blocks.slice(0, place + 1).reduce((sum, { tokens }) => sum + tokens, 0)
    const kept = marks.filter((place) => upTo(place) >= LEAST_TOKENS)
    const candidates = kept.flatMap((mark) => Array.from({ length: LOOKBACK }, (_, back) => mark - back))
    const hits = candidates.filter((place) => this.#written.has(blocks[place]?.digest ?? ""))
    const read = hits.length === 0 ? 0 : upTo(Math.max(...hits))
    const last = kept.at(-1)
    const written = last === undefined ? 0 : Math.max(0, upTo(last) - read)
    for (const place of kept) this.#written.add(blocks[place]?.digest ?? "")
    const input_tokens = upTo(blocks.length - 1) - read - written
    return { input_tokens, cache_read_input_tokens: read, cache_creation_input_tokens: written }
  }
}

const event = (value: { readonly type: string }): string => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`

const streamOf = (reply: string, usage: Counts): string =>
  [
    { type: "message_start", message: { id: "m", type: "message", role: "assistant", content: [], usage } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: reply } },
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { ...usage, output_tokens: tokensOf(reply) }
    },
    { type: "message_stop" }
  ]
    .map(event)
    .join("")

/** Anthropic's route for messages, with its cache of prompts. */
export class CachingAnthropic implements AsyncDisposable {
  readonly requests: Array<AnthropicRequest> = []
  readonly counts: Array<Counts> = []
  readonly #cache = new PromptCache()
  readonly #server: Server

  constructor(answer: (request: AnthropicRequest) => string) {
    this.#server = createServer(async (request, response) => {
      const asked = JSON.parse(await text(request)) as AnthropicRequest
      const counts = this.#cache.count(asked)
      this.requests.push(asked)
      this.counts.push(counts)
      response.writeHead(200, { "content-type": "text/event-stream" }).end(streamOf(answer(asked), counts))
    })
  }

  async listen(): Promise<string> {
    this.#server.listen(0, "127.0.0.1")
    await once(this.#server, "listening")
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, "close")
  }
}
