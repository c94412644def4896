import { Visitor } from "../processes/RunningServer.ts"
import type { Chance } from "./Chance.ts"
import { TOKENS_AT_MOST } from "./CrashRig.ts"

/** The outcome of one request for a reply, as its client saw it. */
export interface ChatRecord {
  readonly userId: string
  readonly asked: Asked
  status: number | undefined
  messageId: string | undefined
  text: string
  /** When how much of the text had come: milliseconds, length. */
  readonly received: Array<{ readonly at: number; readonly length: number }>
  /** `complete` only with the proper end of the response; `refused` without a connection. */
  end: "complete" | "broken" | "left" | "refused" | undefined
}

/** The instructions for the model, and the way in which the response is read. */
export interface Asked {
  /** The number of spoken tokens, and the wait before each. */
  readonly tokens: number
  readonly slowMs: number
  /** Further directives. */
  readonly more?: string
  readonly idempotencyKey?: string
  /** The number of pieces after which the client disconnects. */
  readonly leaveAfter?: number
  /** The reply goes on when its reader leaves. */
  readonly continues?: boolean
}

export interface Person {
  readonly userId: string
  readonly visitor: Visitor
}

const NAMES = ["long", "short", "busy", "leaver", "unlucky", "twin", "other-twin"] as const
export type People = Readonly<Record<(typeof NAMES)[number], Person>>

/** Many concurrent people, who ask for replies until the load is stopped. */
export class ChatLoad {
  readonly records: Array<ChatRecord> = []
  readonly #url: string
  readonly #round: string
  #stopping = false

  constructor(url: string, round: string) {
    this.#url = url
    this.#round = round
  }

  /** Signs a person of this round in; no other round has them. */
  async signIn(name: string): Promise<Person> {
    const userId = `${name}-${this.#round}@example.com`
    const visitor = new Visitor(this.#url)
    await visitor.signIn(userId)
    return { userId, visitor }
  }

  async signInAll(): Promise<People> {
    const entries = await Promise.all(NAMES.map(async (name) => [name, await this.signIn(name)] as const))
    return Object.fromEntries(entries) as unknown as People
  }

  stop(): void {
    this.#stopping = true
  }

  /** Asks once; never rejects. */
  async ask({ userId, visitor }: Person, asked: Asked): Promise<ChatRecord> {
    const { tokens, slowMs, more = "", idempotencyKey, leaveAfter, continues = false } = asked
    const content = `!offline tokens ${tokens} !offline slow ${slowMs} ${more}`
    const record: ChatRecord = {
      userId,
      asked,
      status: undefined,
      messageId: undefined,
      text: "",
      received: [],
      end: undefined
    }
    this.records.push(record)
    try {
      const headers = {
        ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
        ...(continues ? { "x-on-disconnect": "continue" } : {})
      }
      const answer = await visitor.post("/api/chat", { messages: [{ role: "user", content }] }, headers)
      record.status = answer.status
      record.messageId = answer.headers.get("x-message-id") ?? undefined
      record.end = await readReply(answer, record, leaveAfter)
    } catch (error) {
      record.end = isRefused(error) ? "refused" : "broken"
    }
    return record
  }

  /** Repeats requests, until the load stops or the server does not respond. */
  async #keepAsking(person: Person, asked: () => Asked): Promise<void> {
    while (!this.#stopping) {
      const { end } = await this.ask(person, asked())
      if (end === "broken" || end === "refused") await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  /**
   * Long replies, a stream of short ones, readers who leave, replies that fail, and requests repeated under one key.
   * Resolves when all have ended, which they do after `stop`.
   */
  async run(people: People, chance: Chance, longestMs: number): Promise<void> {
    const longReply = () => {
      const slowMs = Math.max(chance.between(5, 20), Math.ceil(longestMs / (TOKENS_AT_MOST - 1)))
      return { slowMs, tokens: Math.ceil((longestMs * chance.between(30, 100)) / 100 / slowMs) }
    }
    const quick = () => ({ tokens: chance.between(1, 6), slowMs: chance.between(0, 2) })
    const failure = () => chance.pick(["!offline fail rate-limited", "!offline empty", "!offline cut-off after 2"])
    const twinReplies = [people.twin, people["other-twin"]].flatMap((person) => {
      const asked = {
        tokens: chance.between(5, Math.min(350, longestMs / 12)),
        slowMs: 10,
        idempotencyKey: `key-${chance.between(0, 1e6)}`
      }
      return [this.ask(person, asked), this.ask(person, asked)]
    })
    await Promise.all([
      ...Array.from({ length: 3 }, () => this.ask(people.long, longReply())),
      this.#keepAsking(people.short, quick),
      ...Array.from({ length: 3 }, () => this.#keepAsking(people.busy, quick)),
      this.#keepAsking(people.leaver, () => ({ tokens: 40, slowMs: 5, leaveAfter: chance.between(1, 8) })),
      this.#keepAsking(people.unlucky, () => ({ ...quick(), tokens: 9, more: failure() })),
      ...twinReplies
    ])
  }
}

const readReply = async (answer: Response, record: ChatRecord, leaveAfter = Infinity): Promise<"complete" | "left"> => {
  const reader = (answer.body ?? new Blob([]).stream()).pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return "complete"
    record.text += value
    record.received.push({ at: performance.now(), length: record.text.length })
    if (record.received.length >= leaveAfter) {
      await reader.cancel()
      return "left"
    }
  }
}

const isRefused = (error: unknown): boolean => {
  const cause = error instanceof Error ? (error.cause as { readonly code?: string } | undefined) : undefined
  return cause?.code === "ECONNREFUSED"
}
