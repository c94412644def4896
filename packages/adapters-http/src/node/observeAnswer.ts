import type { IncomingMessage, ServerResponse } from "node:http"
import type { AnsweredRequest, RequestFinding } from "../server/AnsweredRequest.ts"

/** Reports a request once its response has ended; returns the record in which its work enters what it finds out. */
export const observeAnswer = (
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  report: (answered: AnsweredRequest) => void
): RequestFinding => {
  const began = performance.now()
  const written = request.socket.bytesWritten
  const finding: RequestFinding = { credits: 0 }
  let firstByteMs: number | undefined
  const { writeHead } = response
  response.writeHead = ((...args: Parameters<typeof writeHead>) => {
    firstByteMs ??= performance.now() - began
    return writeHead.apply(response, args)
  }) as typeof writeHead
  response.once("close", () =>
    report({
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
      bytes: request.socket.bytesWritten - written
    })
  )
  return finding
}
