import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** A request as it came over the wire. */
export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage["headers"]
  readonly form: URLSearchParams
}

/**
 * Answers a request; if the script does not end the response, it stays open. `origin` is the requested server, `count`
 * the number of earlier requests.
 */
export type Script = (
  request: SeenRequest,
  response: ServerResponse,
  told: { readonly origin: string; readonly count: number }
) => void

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let text = ""
  for await (const chunk of request) text += String(chunk)
  return text
}

/** A server on the loopback interface that answers as the script says, and records its requests. */
export const scriptedServer = async (script: Script) => {
  const seen: Array<SeenRequest> = []
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const { headers, method = "", url = "" } = request
      const asked = { method, path: url, headers, form: new URLSearchParams(body) }
      seen.push(asked)
      script(asked, response, { origin: `http://${headers.host}`, count: seen.length - 1 })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const close = async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close,
    [Symbol.asyncDispose]: close
  }
}

/** Answers with JSON. */
export const json = (
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {}
) => {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value))
}
