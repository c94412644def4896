import { Agent, request as open } from "node:http"

export interface Sent {
  readonly url: string
  readonly cookie: string
  readonly method?: "GET" | "POST"
  readonly path: string
  readonly type?: string
  readonly body?: Buffer
  /** The longest time without a byte, in milliseconds, after which the request is aborted; ten seconds by default. */
  readonly patienceMs?: number
}

export interface Received {
  readonly status: number
  /** Milliseconds until the status line arrived. */
  readonly milliseconds: number
  readonly body: string
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
}

export const makeAgent = (): Agent => new Agent({ keepAlive: true, maxSockets: 1_000 })

const PATIENCE_MS = 10_000

/**
 * Sends a request and reads the whole response. Rejects if the connection breaks, or after `patienceMs` without a byte.
 */
export const request = (
  agent: Agent,
  { url, cookie, method = "GET", path, type, body, patienceMs = PATIENCE_MS }: Sent
): Promise<Received> =>
  new Promise((resolve, reject) => {
    const began = performance.now()
    const headers = {
      cookie,
      ...(type === undefined ? {} : { "content-type": type }),
      ...(body === undefined ? {} : { "content-length": String(body.byteLength) })
    }
    const sent = open(`${url}${path}`, { method, headers, agent }, (response) => {
      const milliseconds = performance.now() - began
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("error", reject)
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          milliseconds,
          body: Buffer.concat(chunks).toString("utf8"),
          headers: response.headers
        })
      )
    })
    sent.on("error", reject)
    sent.setTimeout(patienceMs, () => sent.destroy(new Error("No answer came in time.")))
    sent.end(body)
  })

const JSON_TYPE = "application/json"

export const postJson = (
  agent: Agent,
  url: string,
  cookie: string,
  path: string,
  value: unknown,
  patienceMs = PATIENCE_MS
): Promise<Received> => {
  const body = Buffer.from(JSON.stringify(value))
  return request(agent, { url, cookie, method: "POST", path, type: JSON_TYPE, body, patienceMs })
}

/** Returns the body of an upload and its media type. */
export const formOf = (filename: string, bytes: Buffer): { readonly type: string; readonly body: Buffer } => {
  const head = `--b\r\nContent-Disposition: form-data; name="file"; filename="${filename}"\r\n\r\n`
  return {
    type: "multipart/form-data; boundary=b",
    body: Buffer.concat([Buffer.from(head), bytes, Buffer.from("\r\n--b--\r\n")])
  }
}

/** Signs a person in with the development sign-in; returns the session cookie. */
export const signIn = async (agent: Agent, url: string, email: string): Promise<string> => {
  const { headers, status } = await postJson(agent, url, "", "/dev/sign-in", { email })
  const cookie = headers["set-cookie"]?.[0]?.split(";")[0]
  if (status !== 200 || cookie === undefined) {
    throw new Error(
      `${url} answered ${status} to POST /dev/sign-in: the attack needs a server with development sign-in.`
    )
  }
  return cookie
}
