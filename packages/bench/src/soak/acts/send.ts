import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http"

/** The longest time for a whole response; a request that takes longer counts as unanswered. */
const LONGEST_MS = 90_000

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, maxFreeSockets: 16 })

export interface Sent {
  readonly url: string
  readonly method?: "GET" | "POST" | "DELETE"
  readonly headers?: Readonly<Record<string, string>>
  /** The body; a text is sent as it is, any other value as JSON. */
  readonly body?: unknown
  /** The number of characters after which the client disconnects. */
  readonly leaveAfter?: number
}

/** A response as the client received it. */
export interface Answer {
  /** The time of the request and the time of the end, in Unix milliseconds. */
  readonly from: number
  readonly to: number
  /** The HTTP status; 0 if there was no response. */
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** `whole` if the response ended correctly; `left` if this client disconnected. */
  readonly end: "whole" | "cut" | "left" | "unanswered"
}

/** Sends a request and reads its response; never rejects. */
export const send = ({ body, headers = {}, leaveAfter = Infinity, method = "POST", url }: Sent): Promise<Answer> =>
  new Promise((resolve) => {
    const from = Date.now()
    let text = ""
    let answered: IncomingMessage | undefined
    const finish = (end: Answer["end"]) => {
      clearTimeout(timer)
      resolve({ from, to: Date.now(), status: answered?.statusCode ?? 0, headers: answered?.headers ?? {}, text, end })
    }
    const payload = body === undefined || typeof body === "string" ? body : JSON.stringify(body)
    const type = body === undefined || "content-type" in headers ? {} : { "content-type": "application/json" }
    const sent = request(url, { method, agent, headers: { ...type, ...headers } }, (response) => {
      answered = response
      response.setEncoding("utf8").on("data", (piece: string) => {
        text += piece
        if (text.length < leaveAfter) return
        finish("left")
        sent.destroy()
      })
      response.once("error", () => undefined)
      response.once("close", () => finish(response.complete ? "whole" : "cut"))
    })
    const timer = setTimeout(() => sent.destroy(new Error("The response took too long.")), LONGEST_MS)
    sent.on("error", () => {
      if (answered === undefined) finish("unanswered")
    })
    sent.end(payload)
  })

/** Returns the error code in a refusal; undefined if there is none. */
export const codeOf = ({ text }: Answer): string | undefined => /"code":\s*"([a-z_]+)"/.exec(text)?.[1]

/** Closes the connections that are kept open between requests. */
export const closeConnections = (): void => agent.destroy()
