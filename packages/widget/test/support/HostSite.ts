import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"

interface Served {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * A site that embeds the widget, under two names: `www.acme.test`, beside the service's, and `shop.test`, another
 * site, on which browsers block the service's storage.
 */
export class HostSite {
  readonly #server: Server
  readonly #pages = new Map<string, Served>()

  private constructor() {
    this.#pages.set("/favicon.ico", { body: "", headers: {} })
    this.#server = createServer((request, response) => {
      const served = this.#pages.get(new URL(request.url ?? "", "http://localhost").pathname)
      if (served === undefined) return void response.writeHead(404).end()
      response.writeHead(200, served.headers).end(served.body)
    })
  }

  static async start(): Promise<HostSite> {
    const site = new HostSite()
    await new Promise<void>((resolve) => site.#server.listen(0, "127.0.0.1", resolve))
    return site
  }

  get url(): string {
    return `http://www.acme.test:${this.#port}`
  }

  get foreignUrl(): string {
    return `http://shop.test:${this.#port}`
  }

  get #port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Serves a page, and returns its address. */
  page(path: string, body: string, headers: Readonly<Record<string, string>> = {}): string {
    const type = path.endsWith(".js") ? "text/javascript" : "text/html"
    this.#pages.set(path, { body, headers: { "content-type": `${type}; charset=utf-8`, ...headers } })
    return `${this.url}${path}`
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }
}
