import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from "jose"

/** A key of the provider's, with which it can sign. */
export interface SigningKey {
  readonly kid: string
  readonly publicKey: JWK
  /** A token signed with it, for an hour. */
  sign(claims: JWTPayload, header?: Readonly<Record<string, unknown>>): Promise<string>
}

export const ALGORITHMS = ["RS256", "ES256", "EdDSA"] as const

/** Makes a key that no set has yet. */
export const makeKey = async (algorithm: string = "ES256", kid: string = crypto.randomUUID()): Promise<SigningKey> => {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true })
  return {
    kid,
    publicKey: { ...(await exportJWK(publicKey)), kid, alg: algorithm, use: "sig" },
    sign: (claims, header = {}) => {
      const now = Math.floor(Date.now() / 1000)
      return new SignJWT({ iat: now, exp: now + 3_600, ...claims })
        .setProtectedHeader({ alg: algorithm, kid, ...header })
        .sign(privateKey)
    }
  }
}

/** A token signed with a secret (HS256). */
export const signWithSecret = (
  secret: Uint8Array,
  claims: JWTPayload,
  header: Readonly<Record<string, unknown>>
): Promise<string> => new SignJWT(claims).setProtectedHeader({ ...header, alg: "HS256" }).sign(secret)

/** An identity provider's public side, answering byte by byte as a test wants: its keys, and the description of itself. */
export class KeyServer implements AsyncDisposable {
  /** The keys that it publishes. */
  keys: ReadonlyArray<unknown> = []
  /** Additions to its discovery document, or replacements in it. */
  description: Readonly<Record<string, unknown>> = {}
  /** Before this it does not describe itself. */
  late: Promise<void> = Promise.resolve()
  /** Answers for the keys instead. */
  instead: RequestListener | undefined
  /** The paths it was asked for, in order. */
  readonly seen: Array<string> = []
  readonly #server = createServer((request, response) => {
    const path = request.url ?? ""
    this.seen.push(path)
    const answer = (body: unknown) =>
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body))
    if (path.endsWith("/.well-known/openid-configuration")) {
      return void this.late.then(() => answer({ issuer: this.issuer, jwks_uri: this.jwksUrl, ...this.description }))
    }
    return this.instead === undefined ? answer({ keys: this.keys }) : this.instead(request, response)
  })
  #port = 0

  static async start(...keys: ReadonlyArray<SigningKey>): Promise<KeyServer> {
    const server = new KeyServer()
    server.keys = keys.map(({ publicKey }) => publicKey)
    await server.up()
    return server
  }

  get issuer(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  get jwksUrl(): string {
    return `${this.issuer}/keys`
  }

  /** The number of requests for its keys. */
  get fetches(): number {
    return this.seen.filter((path) => path === "/keys").length
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
}
