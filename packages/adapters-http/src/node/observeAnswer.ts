import { instruments } from "@parley/core/adapter"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { AnsweredRequest, RequestFinding } from "../server/AnsweredRequest.ts"

/**
 * Measures a request, and reports it once its response has ended; returns the record in which its work enters what it
 * finds out.
 */
export const observeAnswer = (
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  report: ((answered: AnsweredRequest) => void) | undefined
): RequestFinding => {
  const began = performance.now()
  const { socket } = request
  const written = socket.bytesWritten
  const finding: RequestFinding = { credits: 0 }
  let firstByteMs: number | undefined
  instruments.httpActive.record(1)
  const { writeHead } = response
  response.writeHead = ((...args: Parameters<typeof writeHead>) => {
    firstByteMs ??= performance.now() - began
    return writeHead.apply(response, args)
  }) as typeof writeHead
  let isOver = false
  const end = () => {
    if (isOver) return
    isOver = true
    socket.off("close", end)
    const answered: AnsweredRequest = {
      requestId,
      traceId: finding.traceId,
      method: request.method ?? "GET",
      route: finding.route,
      userId: finding.userId,
      status: response.headersSent ? response.statusCode : undefined,
      complete: response.writableFinished,
      durationMs: performance.now() - began,
      firstByteMs,
      credits: finding.credits,
      bytes: socket.bytesWritten - written
    }
    instruments.httpActive.record(-1)
    recordDuration(answered)
    report?.(answered)
  }
  response.once("close", end)
  // A pipelined response that waits for its turn has no socket, and gets no event if the connection closes.
  if (response.socket === null) socket.once("close", end)
  return finding
}

/** The method and the path stand in the route; pages have none. */
const recordDuration = ({ durationMs, method, route, status }: AnsweredRequest): void =>
  instruments.httpDuration.record(durationMs / 1_000, {
    "http.request.method": method,
    "http.route": route?.slice(route.indexOf(" ") + 1) ?? "",
    "http.response.status_code": status === undefined ? "" : String(status)
  })
