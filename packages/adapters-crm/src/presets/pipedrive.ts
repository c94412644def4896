import type { CrmEndpoints } from "../OAuthCrmOptions.ts"
import { fieldsOf, type JsonFields, shortTextIn } from "../requests/tokenAnswer.ts"

/**
 * Returns the company's address from the token response. Only a subdomain of Pipedrive, or the host of the token
 * endpoint, is accepted.
 */
const companyOrigin = (answer: JsonFields, tokenUrl: string): string | undefined => {
  const text = shortTextIn(answer, "api_domain") ?? ""
  if (!URL.canParse(text)) return undefined
  const { hostname, origin, protocol } = new URL(text)
  const isPipedrive = protocol === "https:" && hostname.endsWith(".pipedrive.com")
  return isPipedrive || origin === new URL(tokenUrl).origin ? origin : undefined
}

/**
 * Pipedrive's OAuth interface (pipedrive.readme.io, "OAuth authorization", "Handling user app uninstallation", "Getting
 * user data"). The credentials are in a header. The scopes are settings of the app and are not requested. `api_domain`
 * in the token response is the company's address, at which `users/me` returns the company. Revoking the refresh token
 * uninstalls the app.
 */
export const pipedrive: CrmEndpoints = {
  name: "Pipedrive",
  authorizeUrl: "https://oauth.pipedrive.com/oauth/authorize",
  tokenUrl: "https://oauth.pipedrive.com/oauth/token",
  revokeUrl: "https://oauth.pipedrive.com/oauth/revoke",
  tokenAuth: "client_secret_basic",
  scopes: [],
  accounts: {
    inAnswer: (answer) => {
      const text = shortTextIn(answer, "api_domain") ?? ""
      return URL.canParse(text) ? { name: new URL(text).hostname } : undefined
    },
    request: ({ accessToken, answer, tokenUrl }) => {
      const origin = companyOrigin(answer, tokenUrl)
      if (origin === undefined) return undefined
      const headers = { accept: "application/json", authorization: `Bearer ${accessToken}` }
      return { url: `${origin}/api/v1/users/me`, method: "GET", headers }
    },
    inLookup: (looked) => {
      const company = fieldsOf(looked["data"])
      const id = shortTextIn(company, "company_id")
      const name = shortTextIn(company, "company_name")
      return { ...(id === undefined ? {} : { id }), ...(name === undefined ? {} : { name }) }
    }
  }
}
