import { Agent, type IncomingMessage, request } from "node:http"
import type { Contender } from "./Contender.ts"

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })

/** A reply that is being read. */
export interface AskedReply {
  /** Resolves with the first words. */
  readonly firstWords: Promise<void>
  /** Resolves with the number of characters when the reply has ended; rejects if the reply was cut off. */
  readonly whole: Promise<number>
  leave(): void
}

/** Sends one message of `user`. `wish` is the text of the message, and tells the fake vendor which reply to send. */
export const askChat = ({ headersOf, server }: Contender, user: string, wish: string): AskedReply => {
  const body = JSON.stringify({ messages: [{ role: "user", content: wish }] })
  const first = Promise.withResolvers<void>()
  const whole = Promise.withResolvers<number>()
  const fail = (error: Error) => {
    first.reject(error)
    whole.reject(error)
  }
  const sent = request(
    `${server.url}/api/chat`,
    { method: "POST", agent, headers: { "content-type": "application/json", ...headersOf(user) } },
    (response: IncomingMessage) => {
      let characters = 0
      response.setEncoding("utf8").on("data", (text: string) => {
        characters += text.length
        first.resolve()
      })
      response.once("error", fail)
      response.once("end", () => {
        if (response.statusCode === 200) whole.resolve(characters)
        else fail(new Error(`The answer was ${response.statusCode}.`))
      })
    }
  )
  sent.once("error", fail)
  sent.end(body)
  first.promise.catch(() => undefined)
  whole.promise.catch(() => undefined)
  return { firstWords: first.promise, whole: whole.promise, leave: () => sent.destroy() }
}
