import { createServer, type RequestListener, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, type Scope } from "effect"
import { PortTaken } from "../running/commandErrors.ts"

/** `health` answers `GET /healthz`, and `metrics` also `GET /metrics`. */
type Served = "health" | "metrics"

const send = (response: ServerResponse, status: number, type: string, body: string) =>
  void response.writeHead(status, { "content-type": type, "cache-control": "no-store" }).end(body)

const sendJson = (response: ServerResponse, status: number, said: string) =>
  send(response, status, "application/json", JSON.stringify({ status: said }))

const sendMetrics = async (response: ServerResponse) => {
  const { metricsText } = await import("../telemetry/metricsText.ts")
  send(response, 200, "text/plain; version=0.0.4; charset=utf-8", metricsText())
}

const listenerOf =
  (served: Served): RequestListener =>
  ({ method, url }, response) => {
    if (method === "GET" && url === "/healthz") return sendJson(response, 200, "ok")
    if (method === "GET" && url === "/metrics" && served === "metrics") return void sendMetrics(response)
    return sendJson(response, 404, "not found")
  }

/** Serves `GET /healthz`, which says that the process runs, and metrics, until the scope closes. Returns the port. */
export const serveHealth = (
  host: string,
  port: number,
  served: Served = "health"
): Effect.Effect<number, PortTaken, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>, PortTaken>((resume) => {
      const server = createServer(listenerOf(served))
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
