import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { exportJWK, generateKeyPair, SignJWT } from "jose"

/** An identity provider with OpenID Connect discovery, which issues tokens for any person. */
export interface IdentityProvider extends AsyncDisposable {
  readonly issuer: string
  readonly token: (person: string, audience: string) => Promise<string>
}

const ALGORITHM = "ES256"
const KEY_ID = "key-1"

export const openIdentityProvider = async (): Promise<IdentityProvider> => {
  const { privateKey, publicKey } = await generateKeyPair(ALGORITHM)
  const keys = [{ ...(await exportJWK(publicKey)), kid: KEY_ID, alg: ALGORITHM, use: "sig" }]
  const server = createServer((request, response) => {
    const isDiscovery = request.url === "/.well-known/openid-configuration"
    const body = isDiscovery ? { issuer, jwks_uri: `${issuer}/keys` } : { keys }
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    issuer,
    token: (person, audience) =>
      new SignJWT({ email: `${person}@example.com` })
        .setProtectedHeader({ alg: ALGORITHM, kid: KEY_ID })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(person)
        .setIssuedAt()
        .setExpirationTime("1h")
        .sign(privateKey),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}
