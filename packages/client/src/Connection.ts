import { operations, type Operations } from "./api.ts"
import { failureOf, ParleyError, unreached } from "./ParleyError.ts"

/** Headers of every request, or a function that returns them, for example with a fresh token. */
export type RequestHeaders =
  | Readonly<Record<string, string>>
  | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>)

export interface ParleyClientOptions {
  /** The address of the server, for example `https://chat.example.com`; empty for the origin of the page. */
  readonly baseUrl: string
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch | undefined
  readonly headers?: RequestHeaders | undefined
}

/** The options that every call accepts. */
export interface CallOptions {
  /** Aborts the call, including its retries. */
  readonly signal?: AbortSignal | undefined
}

/** The path, the query and the body of an operation. */
export type InputOf<Id extends keyof Operations> = Omit<Operations[Id], "response">

/** Options of a request of one operation. */
export interface RequestOptions extends CallOptions {
  readonly headers?: Readonly<Record<string, string>> | undefined
  /**
   * True if sending the operation several times has the same effect as once, so that the client may retry it. Default:
   * true for reads.
   */
  readonly isIdempotent?: boolean | undefined
  /** True if the browser should finish the request even if the page closes meanwhile. */
  readonly keepalive?: boolean | undefined
}

interface AnyInput {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
}

/** The largest number of retries of a request. */
const RETRIES = 2
/**
 * The longest wait that a server may ask for before a retry. If it asks for more, the call fails and the caller
 * decides.
 */
const LONGEST_PAUSE_SECONDS = 20
const PASSING_STATUSES = [408, 429, 502, 503, 504]

/** Sends the operations of the HTTP interface to one server. */
export class Connection {
  readonly #options: ParleyClientOptions

  constructor(options: ParleyClientOptions) {
    this.#options = options
  }

  /** Returns the address of an operation. */
  urlOf(id: keyof Operations, { path = {}, query = {} }: AnyInput = {}): string {
    const [, template = ""] = operations[id].split(" ")
    const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ""))
    const sent = Object.entries(query).filter(([, value]) => value !== undefined)
    const search = new URLSearchParams(sent.map(([name, value]) => [name, String(value)])).toString()
    return `${this.#options.baseUrl.replace(/\/+$/, "")}${filled}${search === "" ? "" : `?${search}`}`
  }

  async headers(): Promise<Readonly<Record<string, string>>> {
    const { headers = {} } = this.#options
    return typeof headers === "function" ? await headers() : headers
  }

  /**
   * Calls an operation, and retries it if that is safe and may help. Resolves with the parsed body of the response. If
   * the operation streams or returns a file, resolves with the response as soon as it begins.
   */
  async call<Id extends keyof Operations>(
    id: Id,
    input: InputOf<Id>,
    options: RequestOptions = {}
  ): Promise<Operations[Id]["response"]> {
    const { isIdempotent = operations[id].startsWith("GET "), signal } = options
    for (let tries = 0; ; tries++) {
      try {
        return (await this.#once(id, input, options)) as Operations[Id]["response"]
      } catch (error) {
        const pause = isIdempotent && tries < RETRIES ? pauseAfter(error, tries) : undefined
        if (pause === undefined) throw error
        await wait(pause, signal)
      }
    }
  }

  async #once(id: keyof Operations, input: AnyInput, options: RequestOptions): Promise<unknown> {
    const { headers = {}, keepalive = false, signal } = options
    const { body } = input
    const isForm = typeof FormData !== "undefined" && body instanceof FormData
    const type: Readonly<Record<string, string>> =
      body === undefined || isForm ? {} : { "content-type": "application/json" }
    const send = this.#options.fetch ?? fetch
    let response: Response
    try {
      response = await send(this.urlOf(id, input), {
        method: operations[id].split(" ")[0] ?? "GET",
        headers: { ...type, ...(await this.headers()), ...headers },
        credentials: "include",
        keepalive,
        ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal })
      })
    } catch (cause) {
      throw unreached(cause, signal)
    }
    if (!response.ok) {
      const text = await response.text().catch(() => "")
      throw failureOf(response.status, text, response.headers.get("retry-after"))
    }
    if (response.status === 204) return undefined
    if (!/^application\/json\b/.test(response.headers.get("content-type") ?? "")) return response
    return response.json().catch((cause: unknown) => {
      throw unreached(cause, signal)
    })
  }
}

/** Returns the milliseconds to wait before a failed request is retried; undefined if a retry would not help. */
const pauseAfter = (error: unknown, tries: number): number | undefined => {
  if (!(error instanceof ParleyError)) return undefined
  const { code, retryAfter, status } = error
  // `request_in_progress` answers a retry: after a broken connection, the server may still be handling the first
  // request.
  const mayPass =
    code === "network_error" ||
    (code === "request_in_progress" && tries > 0) ||
    (status !== undefined && (PASSING_STATUSES.includes(status) || retryAfter !== undefined))
  if (!mayPass || (retryAfter ?? 0) > LONGEST_PAUSE_SECONDS) return undefined
  return retryAfter === undefined ? 300 * 3 ** tries : retryAfter * 1_000
}

/** Waits for this time; rejects as soon as the signal aborts. */
export const wait = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      reject(unreached(undefined, signal))
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end)
      resolve()
    }, milliseconds)
    if (signal?.aborted === true) end()
    else signal?.addEventListener("abort", end, { once: true })
  })
