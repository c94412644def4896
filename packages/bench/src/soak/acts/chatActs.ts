import { type Behaviour, replyTo, wishOf } from "../installation/ModelVendor.ts"
import { below, type Scene } from "./Scene.ts"
import type { Answer } from "./send.ts"

/** The number of turns after which a person begins another chat. */
const TURNS = 4

const question = (behaviour: Behaviour, number: number, more: object = {}) => ({
  messages: [{ role: "user", content: `Please answer with ${wishOf(behaviour, number)}.` }],
  ...more
})

const isReply = ({ end, status, text }: Answer, number: number, seen?: string): boolean =>
  status === 200 && end === "whole" && text === replyTo(number, seen)

/** True if this client disconnected before the reply had ended. */
export const hasLeft = ({ end, status }: Answer): boolean => status === 200 && end === "left"

/** Asks a question about documents. The answer is as expected if the model read `code` in a passage. */
export const askAbout = async (scene: Scene, user: string, documentId: string, code: string): Promise<void> => {
  const number = scene.number()
  const content = `Which word does the report contain beside the inventory? ${wishOf("quick", number)}`
  const body = { messages: [{ role: "user", content }], documentIds: [documentId] }
  const answer = await scene.ask(user, "/api/chat", { body })
  scene.keepReply(user, answer)
  scene.outcomes.count("chat about a document", answer, isReply(answer, number, code))
}

/** The acts of people in chats. */
export class ChatActs {
  /** The open chat of each person who comes back, with the number of its turns. */
  readonly #open = new Map<string, { readonly id: string; readonly turns: number }>()
  readonly #scene: Scene

  constructor(scene: Scene) {
    this.#scene = scene
  }

  /** Asks a question in the person's open chat, and reads the whole reply. */
  async ask(behaviour: "quick" | "slow" | "flaky"): Promise<void> {
    const user = this.#scene.person()
    const number = this.#scene.number()
    const open = this.#open.get(user)
    const body = question(behaviour, number, open === undefined ? {} : { chatId: open.id })
    const answer = await this.#scene.ask(user, "/api/chat", { body })
    this.#scene.keepReply(user, answer)
    const isExpected = this.#scene.outcomes.count(`chat, ${behaviour}`, answer, isReply(answer, number))
    const id = answer.headers["x-chat-id"]
    if (!isExpected || typeof id !== "string" || user.startsWith("fresh")) return
    const turns = (open?.turns ?? 0) + 1
    if (turns < TURNS) this.#open.set(user, { id, turns })
    else this.#open.delete(user)
  }

  /** Asks a question to which the vendor sends a refusal or a broken reply. */
  async meetFault(behaviour: "limited" | "broken" | "cut"): Promise<void> {
    const user = this.#scene.person()
    const body = question(behaviour, this.#scene.number())
    const answer = await this.#scene.ask(user, "/api/chat", { body })
    this.#scene.keepReply(user, answer)
    const isExpected = behaviour === "cut" ? answer.status === 200 && answer.end === "cut" : answer.status === 500
    this.#scene.outcomes.count(`chat, vendor ${behaviour}`, answer, isExpected)
  }

  /** Disconnects before a reply has ended. */
  async leave(): Promise<void> {
    const user = this.#scene.person()
    const body = question(below(2) === 0 ? "quick" : "slow", this.#scene.number())
    const answer = await this.#scene.ask(user, "/api/chat", { body, leaveAfter: 1 + below(60) })
    this.#scene.keepReply(user, answer)
    this.#scene.outcomes.count("chat, reader leaves", answer, hasLeft(answer))
  }

  /** Disconnects from a running reply, and joins it again at any server. */
  async continueElsewhere(): Promise<void> {
    const user = this.#scene.person()
    const number = this.#scene.number()
    const body = question("slow", number)
    const headers = { "x-on-disconnect": "continue" }
    const left = await this.#scene.ask(user, "/api/chat", { body, headers, leaveAfter: 10 })
    if (!this.#scene.outcomes.count("chat, reader leaves and joins", left, hasLeft(left))) return
    const path = `/api/chats/${String(left.headers["x-chat-id"])}/stream`
    const joined = await this.#scene.ask(user, path, { method: "GET" })
    this.#scene.keepReply(user, joined)
    const isOver = joined.status === 204
    this.#scene.outcomes.count("join a reply", joined, isOver || isReply(joined, number))
  }

  /**
   * Sends the same request twice with one idempotency key: the second response must equal the first one, without a
   * charge.
   */
  async repeat(): Promise<void> {
    const user = this.#scene.person()
    const number = this.#scene.number()
    const sent = { body: question("quick", number), headers: { "idempotency-key": `soak-${number}` } }
    const first = await this.#scene.ask(user, "/api/chat", sent)
    this.#scene.keepReply(user, first)
    if (!this.#scene.outcomes.count("chat under a key", first, isReply(first, number))) return
    const second = await this.#scene.ask(user, "/api/chat", sent)
    this.#scene.keepReply(user, second)
    const isSame = second.headers["x-message-id"] === first.headers["x-message-id"]
    this.#scene.outcomes.count("the same chat again", second, isSame && isReply(second, number))
  }

  /** Reads the data of the dashboard's pages. */
  async read(): Promise<void> {
    const user = this.#scene.person()
    for (const path of ["/api/billing/balance", "/api/chats", "/api/billing/credit-history", "/api/documents"]) {
      const answer = await this.#scene.ask(user, path, { method: "GET" })
      this.#scene.outcomes.count(`GET ${path}`, answer, answer.status === 200 && answer.end === "whole")
    }
  }
}
