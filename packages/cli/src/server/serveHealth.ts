import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, type Scope } from "effect"
import { PortTaken } from "../running/commandErrors.ts"

const answer: RequestListener = (request, response) => {
  const found = request.method === "GET" && request.url === "/healthz"
  const body = JSON.stringify({ status: found ? "ok" : "not found" })
  response.writeHead(found ? 200 : 404, { "content-type": "application/json", "cache-control": "no-store" }).end(body)
}

/** Answers `GET /healthz` of a worker until the scope closes: the process runs. Returns the port. */
export const serveHealth = (host: string, port: number): Effect.Effect<number, PortTaken, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>, PortTaken>((resume) => {
      const server = createServer(answer)
      server.once("error", (error: NodeJS.ErrnoException) =>
        resume(Effect.fail(new PortTaken({ host, port, problem: error.code ?? "unknown error" })))
      )
      server.listen({ host, port }, () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  ).pipe(Effect.map((server) => (server.address() as AddressInfo).port))
