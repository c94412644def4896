import { createHmac } from "node:crypto"
import { Agent as HttpAgent, request as httpRequest } from "node:http"
import { Agent as HttpsAgent, request as httpsRequest } from "node:https"
import { setInterval as every } from "node:timers/promises"

/** Signs the sessions of the tests' identity provider. */
export const SESSION_SECRET = "Zq8vT3mLw5Xs9RbN2hJc7KdP4gYf6AtE"

const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")

const tokenOf = (sub: string): string => {
  const now = Math.floor(Date.now() / 1_000)
  const signed = `${base64url({ alg: "HS256", typ: "JWT" })}.${base64url({ sub, iat: now - 60, exp: now + 3_600 })}`
  return `${signed}.${createHmac("sha256", SESSION_SECRET).update(signed).digest("base64url")}`
}

/** One request for a reply, as its client saw it. */
export interface Asked {
  readonly word: string
  status: number | undefined
  messageId: string | undefined
  text: string
  /** True only with the proper end of the response. */
  isWhole: boolean
  problem: string | undefined
}

/** Asks for a reply at a steady pace, each for another person, until it is stopped. */
export class SteadyReaders {
  readonly asked: Array<Asked> = []
  readonly #url: string
  readonly #agent: HttpAgent
  readonly #request: typeof httpsRequest
  readonly #reading: Array<Promise<void>> = []
  readonly #stop = new AbortController()
  readonly #pacing: Promise<void>

  /** With an authority it asks over TLS and keeps connections, otherwise each request has a connection of its own. */
  constructor({ ca, perSecond, url }: { readonly url: string; readonly ca?: Buffer; readonly perSecond: number }) {
    this.#url = url
    this.#agent = ca === undefined ? new HttpAgent() : new HttpsAgent({ ca, keepAlive: true })
    this.#request = ca === undefined ? httpRequest : httpsRequest
    this.#pacing = this.#pace(perSecond)
  }

  /** Asks no more, and waits for the ends of all replies. */
  async end(): Promise<void> {
    this.#stop.abort()
    await this.#pacing
    await Promise.all(this.#reading)
    this.#agent.destroy()
  }

  async #pace(perSecond: number): Promise<void> {
    try {
      for await (const _ of every(1_000 / perSecond, undefined, { signal: this.#stop.signal })) {
        const asked: Asked = {
          word: `ask-${this.asked.length}`,
          status: undefined,
          messageId: undefined,
          text: "",
          isWhole: false,
          problem: undefined
        }
        this.asked.push(asked)
        this.#reading.push(this.#ask(asked))
      }
    } catch (error) {
      if (!this.#stop.signal.aborted) throw error
    }
  }

  #ask(asked: Asked): Promise<void> {
    const body = JSON.stringify({ messages: [{ role: "user", content: `Tell me about ${asked.word}` }] })
    return new Promise((resolve) => {
      const fail = (error: Error) => {
        asked.problem ??= error.message
        resolve()
      }
      const sent = this.#request(`${this.#url}/api/chat`, {
        method: "POST",
        agent: this.#agent,
        headers: {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
          authorization: `Bearer ${tokenOf(asked.word)}`
        }
      })
      sent.once("error", fail)
      sent.once("response", (response) => {
        asked.status = response.statusCode
        asked.messageId = response.headers["x-message-id"]?.toString()
        response.setEncoding("utf8").on("data", (text: string) => (asked.text += text))
        response.once("error", fail)
        response.once("close", () => {
          asked.isWhole = response.complete
          resolve()
        })
      })
      sent.end(body)
    })
  }
}
