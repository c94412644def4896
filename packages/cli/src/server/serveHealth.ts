import { createServer, type RequestListener, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, type Scope } from "effect"
import { PortTaken } from "../running/commandErrors.ts"

const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"

/** The served routes: `health` has `GET /healthz` only, `metrics` also `GET /metrics`. */
type Served = "health" | "metrics"

const send = (response: ServerResponse, status: number, type: string, body: string) =>
  void response.writeHead(status, { "content-type": type, "cache-control": "no-store" }).end(body)

const sendJson = (response: ServerResponse, status: number, said: string) =>
  send(response, status, "application/json", JSON.stringify({ status: said }))

/** Answers `GET /metrics` with the metrics' text if metrics are served. */
const listenerOf =
  (metrics: (() => string) | undefined): RequestListener =>
  ({ method, url = "" }, response) => {
    const asked = `${method} ${url.split("?", 1)[0]}`
    if (asked === "GET /healthz") return sendJson(response, 200, "ok")
    if (asked === "GET /metrics" && metrics !== undefined) return send(response, 200, METRICS_TYPE, metrics())
    return sendJson(response, 404, "not found")
  }

/**
 * Serves `GET /healthz`, which shows that the process runs, and optionally metrics, until the scope closes. Returns the
 * port.
 */
export const serveHealth = Effect.fnUntraced(function* (
  host: string,
  port: number,
  served: Served = "health"
): Effect.fn.Return<number, PortTaken, Scope.Scope> {
  // The module is loaded before the first scrape, because an upgrade may have replaced the files on disk by then.
  const texts = served === "metrics" ? yield* Effect.promise(() => import("../telemetry/metricsText.ts")) : undefined
  const listening = Effect.callback<ReturnType<typeof createServer>, PortTaken>((resume) => {
    const server = createServer(listenerOf(texts?.metricsText))
    server.once("error", (error: NodeJS.ErrnoException) =>
      resume(Effect.fail(new PortTaken({ host, port, problem: error.code ?? "unknown error" })))
    )
    server.listen({ host, port }, () => resume(Effect.succeed(server)))
  })
  const server = yield* Effect.acquireRelease(listening, (server) =>
    Effect.callback<void>((resume) => {
      server.close(() => resume(Effect.void))
      server.closeAllConnections()
    })
  )
  return (server.address() as AddressInfo).port
})
