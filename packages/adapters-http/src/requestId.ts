import { randomUUID } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"

const HEADER = "x-request-id"
const ACCEPTABLE = /^[A-Za-z0-9._:-]{1,128}$/

/** The id under which a request is logged: the client's `x-request-id` where it is a plain word, else a new one. Sent back in the same header. */
export const requestIdOf = (request: IncomingMessage, response: ServerResponse): string => {
  const before = response.getHeader(HEADER)
  if (typeof before === "string") return before
  const sent = request.headers[HEADER]
  const id = typeof sent === "string" && ACCEPTABLE.test(sent) ? sent : randomUUID()
  response.setHeader(HEADER, id)
  return id
}
