import { createHmac } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url")

/**
 * A session as an identity provider signs it (HS256, RFC 7515), for an hour, of a sign-in so many seconds ago, with
 * further claims.
 */
export const sessionOf = (
  email: string,
  secret: string,
  secondsAgo = 0,
  claims: Readonly<Record<string, string>> = {}
): string => {
  const now = Math.floor(Date.now() / 1_000)
  const payload = { ...claims, sub: email, email, iat: now - secondsAgo, exp: now + 3_600 }
  const signed = `${part({ alg: "HS256", typ: "JWT" })}.${part(payload)}`
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`
}

export interface IdentityProvider {
  readonly signInUrl: string
  readonly signOutUrl: string
  /** Sets the return address. */
  readonly returnTo: (url: string) => void
  readonly stop: () => Promise<void>
}

/** An identity provider beside the server, on the same host, that signs everyone in as one person. */
export const startIdentityProvider = async (email: string, secret: string): Promise<IdentityProvider> => {
  let back = "/"
  const provider = createServer((request, response) => {
    const session = request.url === "/in" ? `${sessionOf(email, secret)}; Path=/` : "; Path=/; Max-Age=0"
    response.writeHead(303, { "set-cookie": `parley_session=${session}; HttpOnly; SameSite=Lax`, location: back }).end()
  })
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve))
  const url = `http://localhost:${(provider.address() as AddressInfo).port}`
  return {
    signInUrl: `${url}/in`,
    signOutUrl: `${url}/out`,
    returnTo: (to) => {
      back = to
    },
    stop: () => {
      provider.closeAllConnections()
      return new Promise((resolve) => provider.close(() => resolve()))
    }
  }
}
