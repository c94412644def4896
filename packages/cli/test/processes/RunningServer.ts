import { eventually, ParleyProcess } from "./ParleyProcess.ts"

/** A `parley serve` that listens, on a free port. */
export interface RunningServer extends AsyncDisposable {
  readonly process: ParleyProcess
  readonly url: string
}

/** Far more than a start takes, for machines that are busy. */
const START_MS = 90_000

/** The address in a server's output, when it listens. */
export const urlIn = ({ stderr, stdout }: { readonly stdout: string; readonly stderr: string }): string | undefined =>
  /http:\/\/[\w.]+:\d+/.exec(stdout + stderr)?.[0]

/**
 * Starts a server in `folder`, with the program `main` if it is not this one; fails with its output if it does not
 * listen.
 */
export const startServer = async (
  folder: string,
  environment: Readonly<Record<string, string>> = {},
  options: ReadonlyArray<string> = [],
  main?: string
): Promise<RunningServer> => {
  const server = new ParleyProcess(["serve", ...options], folder, { PORT: "0", ...environment }, main)
  const ended = server.ended.then(({ exit, stderr }) => {
    throw new Error(`The server ended with ${exit} before it listened: ${stderr}`)
  })
  const listening = eventually("the server to listen", () => urlIn(server), START_MS)
  try {
    const url = await Promise.race([listening, ended])
    return { process: server, url, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
  } catch (error) {
    await server[Symbol.asyncDispose]()
    throw error
  } finally {
    ended.catch(() => undefined)
  }
}

/** One person's browser: keeps the session cookie. */
export class Visitor {
  readonly #url: string
  #cookie: string

  constructor(url: string, cookie = "") {
    this.#url = url
    this.#cookie = cookie
  }

  /** Signs in by the development sign-in. */
  async signIn(email: string): Promise<void> {
    const answer = await this.post("/dev/sign-in", { email })
    if (answer.status !== 200) throw new Error(`Signing in answered ${answer.status}.`)
    this.#cookie = (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? ""
  }

  /** The cookie that the browser would send. */
  get cookie(): string {
    return this.#cookie
  }

  get(path: string): Promise<Response> {
    return fetch(this.#url + path, { headers: { cookie: this.#cookie } })
  }

  async getJson<A>(path: string): Promise<A> {
    const answer = await this.get(path)
    if (answer.status !== 200) throw new Error(`GET ${path} answered ${answer.status}: ${await answer.text()}`)
    return (await answer.json()) as A
  }

  post(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return this.send("POST", path, body, headers)
  }

  send(method: string, path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return fetch(this.#url + path, {
      method,
      headers: { cookie: this.#cookie, "content-type": "application/json", ...headers },
      body: JSON.stringify(body)
    })
  }

  upload(filename: string, bytes: Uint8Array): Promise<Response> {
    const form = new FormData()
    form.set("file", new File([new Uint8Array(bytes)], filename))
    return fetch(`${this.#url}/api/upload`, { method: "POST", headers: { cookie: this.#cookie }, body: form })
  }

  delete(path: string): Promise<Response> {
    return fetch(this.#url + path, { method: "DELETE", headers: { cookie: this.#cookie } })
  }
}
