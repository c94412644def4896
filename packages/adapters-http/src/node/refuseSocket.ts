import { randomUUID } from "node:crypto"
import { STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import { PROBLEM_CONTENT_TYPE, problemFrom } from "../problems/Problem.ts"
import { problemHeaders } from "../problems/problemHeaders.ts"

/** Answers a connection on which no request was read with problem details, and ends it. */
export const refuseSocket = (socket: Socket, error: Error): void => {
  const problem = problemFrom(error, randomUUID())
  const body = JSON.stringify(problem)
  const headers = {
    ...problemHeaders(error),
    connection: "close",
    "content-type": PROBLEM_CONTENT_TYPE,
    "content-length": String(Buffer.byteLength(body))
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.on("error", () => undefined)
  socket.end(`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join("")}\r\n${body}`, () =>
    socket.destroySoon()
  )
}
