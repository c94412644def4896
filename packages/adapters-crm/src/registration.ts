import { Redacted } from "effect"
import type * as OAuth from "oauth4webapi"
import { isCrmEndpoint } from "./endpoints.ts"
import type { OAuthCrmOptions } from "./OAuthCrmOptions.ts"

/** The OAuth library, and this server's registration with a provider in the library's types. */
export interface Registration {
  readonly oauth: typeof OAuth
  readonly server: OAuth.AuthorizationServer
  readonly client: OAuth.Client
  readonly auth: OAuth.ClientAuth
}

/**
 * The asymmetric algorithms that are accepted for signatures of ID tokens. The token comes directly from the provider,
 * over TLS.
 */
const ID_TOKEN_ALGORITHMS = [
  ...["RS256", "PS256", "ES256", "RS384", "PS384", "ES384"],
  ...["RS512", "PS512", "ES512", "Ed25519", "EdDSA"]
]

const secretOf = ({ clientSecret }: OAuthCrmOptions): string =>
  clientSecret === undefined ? "" : Redacted.value(clientSecret)

const formEncoded = (text: string): string => new URLSearchParams({ "": text }).toString().slice(1)

/**
 * Client authentication in a header (RFC 6749, 2.3.1) that does not encode letters, digits and `*-._`. The library
 * would encode some of these characters. This is equivalent, but some providers do not decode the header.
 */
const secretInHeader =
  (secret: string): OAuth.ClientAuth =>
  (_server, { client_id }, _body, headers) => {
    headers.set("authorization", `Basic ${btoa(`${formEncoded(client_id)}:${formEncoded(secret)}`)}`)
  }

/**
 * Throws a `TypeError` if an endpoint is neither https nor on this machine, or if a required client secret is missing.
 */
export const checkOptions = (options: OAuthCrmOptions): void => {
  const { authorizeUrl, revokeUrl, tokenAuth, tokenUrl } = options
  if (tokenAuth !== "none" && secretOf(options) === "") throw new TypeError("A client secret is needed.")
  for (const url of [authorizeUrl, tokenUrl, revokeUrl]) {
    if (url !== undefined && !isCrmEndpoint(url)) throw new TypeError("Endpoints are https, or http on this machine.")
  }
}

/** Loads the OAuth library at the first use, so that it does not delay the start of the server. */
export const register = async (options: OAuthCrmOptions): Promise<Registration> => {
  const oauth = await import("oauth4webapi")
  const { clientId, issuer, revokeUrl, tokenAuth, tokenUrl } = options
  const auth = {
    none: () => oauth.None(),
    client_secret_basic: secretInHeader,
    client_secret_post: oauth.ClientSecretPost
  }
  return {
    oauth,
    server: {
      issuer: issuer ?? new URL(tokenUrl).origin,
      token_endpoint: tokenUrl,
      ...(revokeUrl === undefined ? {} : { revocation_endpoint: revokeUrl }),
      authorization_response_iss_parameter_supported: issuer !== undefined,
      id_token_signing_alg_values_supported: ID_TOKEN_ALGORITHMS
    },
    client: { client_id: clientId },
    auth: auth[tokenAuth](secretOf(options))
  }
}
