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

/** Options of every call. */
export interface CallOptions {
  /** Ends the call, and its retries. */
  readonly signal?: AbortSignal | undefined
}

/** The path, the query and the body of an operation. */
export type InputOf<Id extends keyof Operations> = Omit<Operations[Id], "response">

interface Sent extends CallOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** The operation has one effect however often it is sent. Reads always have. */
  readonly isIdempotent?: boolean
}

interface AnyInput {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: unknown
}

/** The most times a request is sent again. */
const RETRIES = 2
/** A server that asks for a longer pause is not waited for: the caller decides. */
const LONGEST_PAUSE_SECONDS = 20
const PASSING_STATUSES = [408, 429, 502, 503, 504]

/** Sends the operations of the HTTP interface to one server. */
export class Connection {
  readonly #options: ParleyClientOptions

  constructor(options: ParleyClientOptions) {
    this.#options = options
  }

  /** The address of an operation. */
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

  /** Calls an operation, and returns the parsed body of its response. */
  async call<Id extends keyof Operations>(
    id: Id,
    input: InputOf<Id>,
    options: Sent = {}
  ): Promise<Operations[Id]["response"]> {
    const response = await this.open(id, input, options)
    try {
      const text = response.status === 204 ? "" : await response.text()
      return (text === "" ? undefined : JSON.parse(text)) as Operations[Id]["response"]
    } catch (cause) {
      throw unreached(cause, options.signal)
    }
  }

  /** Calls an operation, and returns its response as soon as it begins. Sends it again if that is safe and may help. */
  async open<Id extends keyof Operations>(id: Id, input: InputOf<Id>, options: Sent = {}): Promise<Response> {
    const { isIdempotent = operations[id].startsWith("GET "), signal } = options
    for (let tries = 0; ; tries++) {
      try {
        return await this.#once(id, input, options)
      } catch (error) {
        const pause = isIdempotent && tries < RETRIES ? pauseAfter(error, tries) : undefined
        if (pause === undefined) throw error
        await wait(pause, signal)
      }
    }
  }

  async #once(id: keyof Operations, input: AnyInput, { headers = {}, signal }: Sent): Promise<Response> {
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
        ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal })
      })
    } catch (cause) {
      throw unreached(cause, signal)
    }
    if (response.ok) return response
    const text = await response.text().catch(() => "")
    throw failureOf(response.status, text, response.headers.get("retry-after"))
  }
}

/** Milliseconds after which a failed request is sent again; undefined if that would not help. */
const pauseAfter = (error: unknown, tries: number): number | undefined => {
  if (!(error instanceof ParleyError)) return undefined
  const { code, retryAfter, status } = error
  // After a broken connection, the first request may still be at work.
  const mayPass =
    code === "network_error" ||
    (code === "request_in_progress" && tries > 0) ||
    (status !== undefined && (PASSING_STATUSES.includes(status) || retryAfter !== undefined))
  if (!mayPass || (retryAfter ?? 0) > LONGEST_PAUSE_SECONDS) return undefined
  return retryAfter === undefined ? 300 * 3 ** tries : retryAfter * 1_000
}

/** Waits, unless the signal ends the call. */
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
