import { randomUUID } from "node:crypto"

/** The header that carries a request's id, both ways. */
export const REQUEST_ID = "x-request-id"
const ACCEPTABLE = /^[A-Za-z0-9._:-]{1,128}$/

/** The id of a request in logs: the client's `x-request-id` if it is a plain word, otherwise a new one. */
export const requestIdFrom = (sent: unknown): string =>
  typeof sent === "string" && ACCEPTABLE.test(sent) ? sent : randomUUID()
