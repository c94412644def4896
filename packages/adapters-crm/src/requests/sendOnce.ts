import { type IncomingMessage, request as requestHttp } from "node:http"
import { request as requestHttps } from "node:https"
import { AnswerBroken, AnswerTooLarge, NotConnected } from "./requestErrors.ts"

/** Token responses have a few kilobytes, the largest tokens in use about eight. */
const MAX_ANSWER_BYTES = 256 * 1024

/** A request as the protocol's library writes it. */
export interface OutboundRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: URLSearchParams | undefined
}

/** The one request of a call, and how far it came. */
export interface Sending {
  /** Something of it may have reached the other side. */
  sent: boolean
}

/** Nothing listens for it, and it may hold the provider's words. */
const codeOf = (error: unknown): string => {
  const { code } = error as { readonly code?: unknown }
  return typeof code === "string" && /^[A-Z0-9_]{1,64}$/.test(code) ? code : "unknown"
}

const readBody = async (answer: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  let size = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_ANSWER_BYTES) throw new AnswerTooLarge(`The answer has more than ${MAX_ANSWER_BYTES} bytes.`)
    chunks.push(chunk)
  }
  if (!answer.complete) throw new AnswerBroken("The answer ended in its middle.")
  return Buffer.concat(chunks)
}

const toResponse = (answer: IncomingMessage, body: Buffer): Response => {
  const headers = new Headers()
  for (const name of ["content-type", "retry-after", "www-authenticate"]) {
    const value = answer.headers[name]
    if (typeof value === "string") headers.set(name, value)
  }
  const status = answer.statusCode ?? 0
  const takesNoBody = status === 204 || status === 205 || status === 304
  return new Response(takesNoBody ? null : new Uint8Array(body), { status, headers })
}

/**
 * Sends one request on a connection of its own, so that it is known whether any of it left: a connection that is kept for
 * the next request may be closed by the other side just when that is written. Follows no redirect, asks for no
 * compression, reads no answer beyond a bound. Fails with `NotConnected` while `sending.sent` is false, with
 * `AnswerBroken` or `AnswerTooLarge` after it.
 */
export const sendOnce = (
  sending: Sending,
  address: string,
  { body, headers, method }: OutboundRequest,
  signal: AbortSignal
): Promise<Response> =>
  new Promise((resolve, reject) => {
    const url = new URL(address)
    const isEncrypted = url.protocol === "https:"
    const content = body?.toString()
    const length = content === undefined ? {} : { "content-length": String(Buffer.byteLength(content)) }
    const outbound = (isEncrypted ? requestHttps : requestHttp)(url, {
      method,
      headers: { ...headers, ...length, "accept-encoding": "identity" },
      agent: false,
      signal
    })
    const fail = (error: unknown) => {
      if (error instanceof AnswerTooLarge || error instanceof AnswerBroken) return reject(error)
      reject(
        sending.sent ? new AnswerBroken(`The connection broke (${codeOf(error)}).`) : new NotConnected(codeOf(error))
      )
    }
    outbound.once("socket", (socket) => {
      socket.once(isEncrypted ? "secureConnect" : "connect", () => {
        sending.sent = true
      })
    })
    outbound.on("error", fail)
    outbound.once("response", (answer) => {
      readBody(answer).then(
        (bytes) => resolve(toResponse(answer, bytes)),
        (error) => {
          outbound.destroy()
          fail(error)
        }
      )
    })
    outbound.end(content)
  })
