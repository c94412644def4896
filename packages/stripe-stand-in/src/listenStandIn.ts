import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { StandInPayments, type StandInOptions } from "./StandInPayments.ts"

/** The most bytes of a request's body; requests to a payment provider are smaller. */
const MAX_BODY_BYTES = 256 * 1024

const bodyOf = async (request: IncomingMessage): Promise<Buffer | undefined> => {
  const chunks: Array<Buffer> = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** The longest time within which a request must arrive completely. */
const ARRIVAL_MS = 10_000

const requestOf = (request: IncomingMessage, body: Buffer): Request => {
  const headers = Object.entries(request.headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]]
  )
  const { method = "GET" } = request
  return new Request(`http://${request.headers.host ?? "invalid"}${request.url ?? "/"}`, {
    method,
    headers,
    ...(method === "GET" || method === "HEAD" ? {} : { body: Uint8Array.from(body) })
  })
}

/** Returns a listener for Node's HTTP server that lets the stand-in answer requests. */
export const standInListener =
  (standIn: StandInPayments) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    const answer = async () => {
      const slow = setTimeout(() => request.destroy(), ARRIVAL_MS)
      const body = await bodyOf(request).finally(() => clearTimeout(slow))
      if (body === undefined) return new Response(null, { status: 413 })
      return standIn.handle(requestOf(request, body))
    }
    const send = async (answered: Response) => {
      response.writeHead(answered.status, Object.fromEntries(answered.headers))
      response.end(Buffer.from(await answered.arrayBuffer()))
    }
    answer()
      .then(send)
      .catch(() => response.destroy())
  }

/** A stand-in with an HTTP server of its own on the loopback interface. */
export interface ListeningStandIn {
  readonly standIn: StandInPayments
  readonly url: string
  readonly close: () => Promise<void>
}

/** Starts a stand-in at a port of the loopback interface; at any free port by default. */
export const listenStandIn = async (
  options: Omit<StandInOptions, "publicUrl">,
  port = 0
): Promise<ListeningStandIn> => {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, "127.0.0.1", resolve)
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const standIn = new StandInPayments({ ...options, publicUrl: url })
  server.on("request", standInListener(standIn))
  return {
    standIn,
    url,
    close: async () => {
      standIn.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}
