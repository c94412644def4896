import type { CrmEndpoints } from "../OAuthCrmOptions.ts"
import { shortTextIn } from "../requests/tokenAnswer.ts"

/**
 * HubSpot's OAuth interface of 2026-03 (developers.hubspot.com, "Manage OAuth tokens"). Parameters and credentials are
 * form fields. `hub_id` in the token response identifies the account, and the introspection endpoint returns its
 * domain. Refresh tokens are not rotated. The scopes must equal those in the app's settings; every app has the scope
 * `oauth`.
 */
export const hubspot: CrmEndpoints = {
  name: "HubSpot",
  authorizeUrl: "https://app.hubspot.com/oauth/authorize",
  tokenUrl: "https://api.hubapi.com/oauth/2026-03/token",
  revokeUrl: "https://api.hubapi.com/oauth/2026-03/token/revoke",
  tokenAuth: "client_secret_post",
  scopes: ["oauth"],
  accounts: {
    inAnswer: (answer) => {
      const id = shortTextIn(answer, "hub_id")
      return id === undefined ? undefined : { id }
    },
    request: ({ accessToken, clientId, clientSecret, tokenUrl }) => ({
      url: `${tokenUrl}/introspect`,
      method: "POST",
      headers: { accept: "application/json", "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({
        client_id: clientId,
        client_secret: clientSecret,
        token: accessToken,
        token_type_hint: "access_token"
      })
    }),
    inLookup: (looked) => {
      const name = shortTextIn(looked, "hub_domain")
      return name === undefined ? undefined : { name }
    }
  },
  refusals: {
    bad_auth_code: "grant",
    expired_auth_code: "grant",
    bad_refresh_token: "grant",
    bad_client_id: "client",
    bad_client_secret: "client",
    bad_redirect_uri: "client"
  }
}
