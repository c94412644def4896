import { type IncomingMessage, request as requestHttp } from "node:http"
import { request as requestHttps } from "node:https"
import { AnswerBroken, AnswerTooLarge, NotConnected } from "./requestErrors.ts"

/** The most bytes of a response. Token responses have a few kilobytes; the largest tokens in use have about eight. */
const MAX_ANSWER_BYTES = 256 * 1024

/** A request as the OAuth library builds it. */
export interface OutboundRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: URLSearchParams | undefined
}

/** The progress of the one request of a call. */
export interface Sending {
  /** True if a part of the request may have reached the provider. */
  sent: boolean
}

/** Returns only the error code: no caller needs the message, and it may contain the provider's text. */
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
 * Sends one request on a connection of its own, so that the caller knows whether any byte has left this machine; on a
 * kept-alive connection this is unknown, because a server may close it at the moment when the next request is written.
 * It follows no redirects, asks for no compression, and limits the size of the response. It fails with `NotConnected`
 * if `sending.sent` is false, and otherwise with `AnswerBroken` or `AnswerTooLarge`.
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
