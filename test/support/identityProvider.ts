import { generateKeyPairSync, sign } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

/** An identity provider with OpenID Connect discovery, which issues tokens for any person. */
export interface IdentityProvider extends AsyncDisposable {
  readonly issuer: string
  readonly token: (person: string, audience: string) => string
}

const HEADER = { alg: "ES256", kid: "key-1" }
const LIFETIME_SECONDS = 3_600

const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url")

export const openIdentityProvider = async (): Promise<IdentityProvider> => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const keys = [{ ...publicKey.export({ format: "jwk" }), ...HEADER, use: "sig" }]
  const server = createServer((request, response) => {
    const isDiscovery = request.url === "/.well-known/openid-configuration"
    const body = isDiscovery ? { issuer, jwks_uri: `${issuer}/keys` } : { keys }
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    issuer,
    token: (person, audience) => {
      const iat = Math.floor(Date.now() / 1_000)
      const claims = { sub: person, email: `${person}@example.com`, iss: issuer, aud: audience, iat }
      const text = `${encoded(HEADER)}.${encoded({ ...claims, exp: iat + LIFETIME_SECONDS })}`
      const signature = sign("sha256", Buffer.from(text), { key: privateKey, dsaEncoding: "ieee-p1363" })
      return `${text}.${signature.toString("base64url")}`
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}
