import { Agent, type IncomingMessage, request } from "node:http"

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })

/** A visitor's message. */
export interface VisitorMessage {
  readonly publicKey: string
  readonly visitorId: string
  readonly message: string
}

/**
 * Sends a visitor's message and reads the whole reply; returns the number of its characters. Rejects if the message was
 * refused or the reply was cut off.
 */
export const askBot = (url: string, sent: VisitorMessage): Promise<number> =>
  new Promise((resolve, reject) => {
    const asking = request(
      `${url}/api/widget/chat`,
      { method: "POST", agent, headers: { "content-type": "application/json" } },
      (response: IncomingMessage) => {
        let characters = 0
        response.setEncoding("utf8").on("data", (text: string) => (characters += text.length))
        response.once("error", reject)
        response.once("end", () => {
          if (response.statusCode === 200 && response.complete) resolve(characters)
          else reject(new Error(`The answer was ${response.statusCode}.`))
        })
      }
    )
    asking.once("error", reject)
    asking.end(JSON.stringify(sent))
  })
