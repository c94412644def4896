import type { RequestListener } from "node:http"
import express from "express"
import {
  answerError,
  answerNotFound,
  createHttpServer,
  type FetchHandler,
  type HttpOptions,
  parleyFetch,
  parleyListener,
  parleyRouter
} from "../../src/index.ts"

/** The routes, served. */
export interface OpenSurface {
  /** The address of the routes, without a trailing slash. */
  readonly url: string
  /** 0 if no server listens. */
  readonly port: number
  /** Asks as `fetch` does. */
  readonly send: (url: string, init: RequestInit) => Promise<Response>
  readonly close: () => Promise<void>
}

/** A way of serving the routes under a prefix, which is empty for the root. */
export type Surface = (options: HttpOptions, prefix: string) => Promise<OpenSurface>

/** On a real HTTP server, on a free port. */
export const overNode =
  (listenerOf: (options: HttpOptions, prefix: string) => RequestListener): Surface =>
  async (options, prefix) => {
    const server = createHttpServer(listenerOf(options, prefix), { requests: options.requests })
    const { port } = await server.listen({ host: "127.0.0.1", port: 0 })
    const close = () => server.close({ deadlineMs: 0 })
    return { url: `http://127.0.0.1:${port}`, port, send: fetch, close }
  }

/** A handler that is called with requests. */
export const overFetch =
  (handlerOf: (options: HttpOptions, prefix: string) => FetchHandler): Surface =>
  (options, prefix) => {
    const handler = handlerOf(options, prefix)
    return Promise.resolve({
      url: "http://localhost",
      port: 0,
      send: (url: string, init: RequestInit) => handler(new Request(url, init), { httpVersion: "1.1" }),
      close: async () => {
        await options.requests?.idle()
      }
    })
  }

/** Every way of serving the routes that this package has. */
export const surfaces: ReadonlyArray<readonly [string, Surface]> = [
  ["Node's listener", overNode((options, prefix) => parleyListener({ ...options, prefix }))],
  [
    "Express' router",
    overNode((options, prefix) =>
      express()
        .use(prefix === "" ? "/" : prefix, parleyRouter(options))
        .use(answerNotFound, answerError)
    )
  ],
  ["the fetch handler", overFetch((options, prefix) => parleyFetch({ ...options, prefix }))]
]
