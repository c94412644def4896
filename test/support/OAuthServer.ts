import { generateKeyPairSync, randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { Provider } from "oidc-provider"

/** Faults of the token endpoint. `lost` and `garbage` carry out the request first. */
export type TokenFault =
  | "lost"
  | "garbage"
  | "html"
  | "huge"
  | "error500"
  | "unavailable"
  | "redirect"
  | "silence"
  | "refused"

export interface OAuthServerOptions {
  readonly pkce: boolean
  readonly tokenAuth: "client_secret_basic" | "client_secret_post" | "none"
  /** The allowed redirect addresses; they may be registered later. */
  readonly redirectUris?: ReadonlyArray<string>
  /** The signing algorithm of identity tokens; default ES256. */
  readonly algorithm?: SigningAlgorithm
}

export type SigningAlgorithm = "RS256" | "ES256" | "EdDSA"

/** The account of every person on its pages. */
export const ACCOUNT = { id: "account-1", name: "owner@crm.example" }
export const CLIENT_ID = "parley"
export const CLIENT_SECRET = "x9Kd2Lq8Vn4Rt7Zb3Mw6"
/** Its text in an error's description, which must not reach logs or responses. */
export const PROVIDER_TEXT = "PROVIDER TEXT"

/** The package writes advice for production to the console. */
const quietly = async <A>(work: () => Promise<A>): Promise<A> => {
  const { info, warn } = console
  const silence = () => undefined
  Object.assign(console, { info: silence, warn: silence })
  try {
    return await work()
  } finally {
    Object.assign(console, { info, warn })
  }
}

const newKey = (algorithm: SigningAlgorithm): JsonWebKey => {
  const { privateKey } =
    algorithm === "RS256"
      ? generateKeyPairSync("rsa", { modulusLength: 2_048 })
      : algorithm === "ES256"
        ? generateKeyPairSync("ec", { namedCurve: "P-256" })
        : generateKeyPairSync("ed25519")
  return privateKey.export({ format: "jwk" })
}

const configuration = (
  { algorithm = "ES256", pkce, redirectUris = [], tokenAuth }: OAuthServerOptions,
  keys: ReadonlyArray<JsonWebKey>
) => ({
  clients: [
    {
      client_id: CLIENT_ID,
      ...(tokenAuth === "none" ? {} : { client_secret: CLIENT_SECRET }),
      token_endpoint_auth_method: tokenAuth,
      grant_types: ["authorization_code", "refresh_token"],
      redirect_uris: redirectUris,
      id_token_signed_response_alg: algorithm
    }
  ],
  pkce: { required: () => pkce },
  jwks: { keys },
  cookies: { keys: [randomUUID()] },
  ttl: {
    AccessToken: 1_800,
    AuthorizationCode: 60,
    Grant: 86_400,
    IdToken: 600,
    Interaction: 600,
    RefreshToken: 86_400,
    Session: 86_400
  },
  features: {
    devInteractions: { enabled: false },
    revocation: { enabled: true, allowedPolicy: () => true }
  },
  interactions: { url: (_: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
  claims: { openid: ["sub"], email: ["email"] },
  conformIdTokenClaims: false,
  findAccount: (_: unknown, accountId: string) => ({
    accountId,
    claims: () => ({ sub: accountId, email: ACCOUNT.name })
  }),
  issueRefreshToken: () => true,
  rotateRefreshToken: () => true,
  renderError: (ctx: { body: string }, { error }: { readonly error: string }) => {
    ctx.body = error
  }
})

const PAGE = `<!doctype html><html lang="en"><title>Allow access?</title>
<form method="post"><button name="answer" value="approve">Approve</button><button name="answer" value="deny">Deny</button></form>`

const bodyOf = async (request: IncomingMessage): Promise<URLSearchParams> => {
  let text = ""
  for await (const chunk of request) text += String(chunk)
  return new URLSearchParams(text)
}

/** The page on which a person approves or denies: signs in as the one account and grants the requested scopes. */
const interact = async (provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  if (request.method !== "POST") {
    response.writeHead(200, { "content-type": "text/html" }).end(PAGE)
    return
  }
  const answer = (await bodyOf(request)).get("answer")
  if (answer !== "approve") {
    const result = { error: "access_denied", error_description: PROVIDER_TEXT }
    return provider.interactionFinished(request, response, result)
  }
  const { params } = await provider.interactionDetails(request, response)
  const grant = new provider.Grant({ accountId: ACCOUNT.id, clientId: params["client_id"] ?? "" })
  grant.addOIDCScope(params["scope"] ?? "")
  const result = { login: { accountId: ACCOUNT.id }, consent: { grantId: await grant.save() } }
  return provider.interactionFinished(request, response, result)
}

/** Lets the server carry a request out, and ends the answer in another way. */
const answeredOtherwise = (
  listener: RequestListener,
  request: IncomingMessage,
  response: ServerResponse,
  end: () => void
): void => {
  Object.assign(response, {
    write: () => true,
    end: () => {
      end()
      return response
    }
  })
  listener(request, response)
}

const answerFaultily = (
  fault: TokenFault,
  listener: RequestListener,
  request: IncomingMessage,
  response: ServerResponse
) => {
  const answer = (status: number, type: string, body: string, headers: Record<string, string> = {}) =>
    response.writeHead(status, { "content-type": type, ...headers }).end(body)
  switch (fault) {
    case "lost":
      return answeredOtherwise(listener, request, response, () => request.socket.destroy())
    case "garbage":
      return answeredOtherwise(listener, request, response, () => {
        request.socket.end(
          'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n{"access_token": 7, '
        )
      })
    case "html":
      return answer(200, "text/html", `<h1>${PROVIDER_TEXT}</h1>`)
    case "huge":
      return answer(200, "application/json", `{"access_token":"${"x".repeat(1_000_000)}","token_type":"bearer"}`)
    case "error500":
      return answer(
        500,
        "application/json",
        JSON.stringify({ error: "server_error", error_description: PROVIDER_TEXT })
      )
    case "unavailable":
      return answer(503, "text/plain", PROVIDER_TEXT, { "retry-after": "7" })
    case "redirect":
      return answer(302, "text/plain", "", { location: `http://${request.headers.host}/elsewhere` })
    case "refused":
      return answer(
        400,
        "application/json",
        JSON.stringify({ error: "invalid_grant", error_description: PROVIDER_TEXT })
      )
    case "silence":
      return undefined
  }
}

/** A server on the loopback interface, by real OAuth code, that can be made to fail at its token endpoint. */
export class OAuthServer {
  /** Requests that came, in order: method and path. */
  readonly seen: Array<string> = []
  readonly #faults: Array<TokenFault> = []
  readonly #options: OAuthServerOptions
  readonly #server = createServer((request, response) => this.#listen(request, response))
  #provider: Provider | undefined
  /** The first one signs. */
  #keys: ReadonlyArray<JsonWebKey> = []
  #port = 0

  private constructor(options: OAuthServerOptions) {
    this.#options = options
  }

  static async start(options: OAuthServerOptions): Promise<OAuthServer> {
    const server = new OAuthServer(options)
    server.#keys = [newKey(options.algorithm ?? "ES256")]
    await server.up()
    await server.sendBackTo(...(options.redirectUris ?? []))
    return server
  }

  get issuer(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  get authorizeUrl(): string {
    return `${this.issuer}/auth`
  }

  get tokenUrl(): string {
    return `${this.issuer}/token`
  }

  get revokeUrl(): string {
    return `${this.issuer}/token/revocation`
  }

  /** The number of calls of the token endpoint. */
  get tokenCalls(): number {
    return this.#calls("POST /token")
  }

  /** The number of calls of the revocation endpoint. */
  get revocations(): number {
    return this.#calls("POST /token/revocation")
  }

  /** Registers the redirect addresses. Earlier approvals are forgotten. */
  async sendBackTo(...redirectUris: ReadonlyArray<string>): Promise<void> {
    const settings = configuration({ ...this.#options, redirectUris }, this.#keys)
    this.#provider = await quietly(async () => {
      const { Provider } = await import("oidc-provider")
      return new Provider(this.issuer, settings)
    })
  }

  /** Signs with a new key from now on, and publishes the old ones beside it, or none of them. */
  async rotateKeys({ keepOld }: { readonly keepOld: boolean }): Promise<void> {
    this.#keys = [newKey(this.#options.algorithm ?? "ES256"), ...(keepOld ? this.#keys : [])]
    await this.sendBackTo(...(this.#options.redirectUris ?? []))
  }

  /** Returns the identity token of its one account after signing in on its pages; for a client that sends its secret in the body. */
  async identityToken(): Promise<string> {
    const [redirectUri = ""] = this.#options.redirectUris ?? []
    const sent = { client_id: CLIENT_ID, redirect_uri: redirectUri, response_type: "code", scope: "openid email" }
    const back = await this.answer(new URL(`${this.authorizeUrl}?${new URLSearchParams(sent)}`), "approve")
    const answer = await fetch(this.tokenUrl, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "authorization_code",
        code: back.searchParams.get("code") ?? "",
        redirect_uri: redirectUri,
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET
      })
    })
    return ((await answer.json()) as { readonly id_token: string }).id_token
  }

  /** The next call of the token endpoint fails so. */
  failNext(fault: TokenFault): void {
    this.#faults.push(fault)
  }

  /** Answers the provider's page as a new browser, and returns the address to which the provider redirects. */
  async answer(address: URL, answer: "approve" | "deny"): Promise<URL> {
    const cookies = new Map<string, string>()
    let url = address
    let body: URLSearchParams | undefined
    for (let step = 0; step < 10; step++) {
      const cookie = [...cookies].map((pair) => pair.join("=")).join("; ")
      const response = await fetch(url, {
        redirect: "manual",
        headers: { cookie },
        ...(body === undefined ? {} : { method: "POST", body })
      })
      for (const set of response.headers.getSetCookie()) {
        const [name = "", value = ""] = (set.split(";")[0] ?? "").split(/=(.*)/)
        cookies.set(name, value)
      }
      const location = response.headers.get("location")
      if (location === null && body !== undefined) break
      body = location === null ? new URLSearchParams({ answer }) : undefined
      if (location !== null) url = new URL(location, url)
      if (url.origin !== this.issuer) return url
    }
    throw new Error(`The server sent nobody back from ${address.pathname}.`)
  }

  /** Takes connections, on the port that it had before. */
  async up(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, "127.0.0.1", resolve))
    this.#port = (this.#server.address() as AddressInfo).port
  }

  /** Takes no connection any more. */
  async down(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.#server.closeAllConnections()
    await closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.down()
  }

  #calls(request: string): number {
    return this.seen.filter((each) => each === request).length
  }

  #listen(request: IncomingMessage, response: ServerResponse): void {
    const path = (request.url ?? "").split("?")[0] ?? ""
    this.seen.push(`${request.method} ${path}`)
    const provider = this.#provider
    if (provider === undefined) throw new Error("The server knows nobody yet.")
    const listener = provider.callback()
    const fault = request.method === "POST" && path === "/token" ? this.#faults.shift() : undefined
    if (fault !== undefined) answerFaultily(fault, listener, request, response)
    else if (path.startsWith("/interaction/")) void interact(provider, request, response)
    else listener(request, response)
  }
}
