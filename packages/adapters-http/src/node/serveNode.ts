import type { IncomingMessage, ServerResponse } from "node:http"
import type { AnswerHeaders } from "../answers/Answer.ts"
import type { HttpCore } from "../core/HttpCore.ts"
import type { RouteMatch } from "../core/RouteTable.ts"
import { REQUEST_ID } from "../exchange/requestId.ts"
import type { Target } from "../exchange/target.ts"
import { discardBody } from "./discardBody.ts"
import { limitStalledReader } from "./limitStalledReader.ts"
import { NodeAnswerWriter } from "./NodeAnswerWriter.ts"
import { NodeRequest } from "./NodeRequest.ts"
import { isUntrustedForwarding } from "./untrustedForwarding.ts"
import { watchDeparture } from "./watchDeparture.ts"

/** The common part of Node's listener and Express' router. */
export interface NodeExchange {
  readonly core: HttpCore
  readonly match: RouteMatch
  readonly id: string
  readonly target: Target
  readonly prefix: string
  readonly peerOf: () => string
  /** Of every answer. */
  readonly headers: AnswerHeaders
  readonly stalledReaderMs: number
}

/** Answers one request of Node's HTTP server through the core; resolves once everything is settled. */
export const serveNode = async (
  message: IncomingMessage,
  response: ServerResponse,
  exchange: NodeExchange
): Promise<void> => {
  const { core, headers, id, match, peerOf, stalledReaderMs } = exchange
  const { isSeen, see } = core.untrustedProxy
  if (!isSeen() && isUntrustedForwarding(message, peerOf)) see()
  const departure = watchDeparture(message, response)
  await core.answer(match, {
    request: new NodeRequest({ ...exchange, message }),
    writer: new NodeAnswerWriter(message, response, {
      ...headers,
      ...core.headersOf(match, message),
      [REQUEST_ID]: id
    }),
    signal: departure.signal
  })
  departure.stop()
  limitStalledReader(response, stalledReaderMs)
  discardBody(message)
}
