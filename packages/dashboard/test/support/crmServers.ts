import { CLIENT_ID, CLIENT_SECRET, OAuthServer } from "../../../../test/support/OAuthServer.ts"
import { type RunningServer, startServer } from "./runningServer.ts"

export type CrmProviderId = "provider_one" | "provider_two"

/** Two real OAuth servers, each another company, as CRM providers of a server. */
export interface CrmServers {
  readonly provider_one: OAuthServer
  readonly provider_two: OAuthServer
  readonly server: RunningServer
}

const settingsOf = (prefix: string, { authorizeUrl, issuer, revokeUrl, tokenUrl }: OAuthServer, tokenAuth: string) => ({
  [`${prefix}_CLIENT_ID`]: CLIENT_ID,
  [`${prefix}_CLIENT_SECRET`]: CLIENT_SECRET,
  [`${prefix}_AUTHORIZE_URL`]: authorizeUrl,
  [`${prefix}_TOKEN_URL`]: tokenUrl,
  [`${prefix}_REVOKE_URL`]: revokeUrl,
  [`${prefix}_ISSUER`]: issuer,
  [`${prefix}_SCOPES`]: "openid email",
  [`${prefix}_TOKEN_AUTH`]: tokenAuth
})

/** The redirect path of a provider. */
export const callbackPath = (provider: CrmProviderId): string => `/api/crm/${provider}/callback`

/** Starts the providers and the server that uses them, with overrides of the catalog and further settings. */
export const startCrmServers = async (
  catalog: object = {},
  settings: Readonly<Record<string, string>> = {}
): Promise<CrmServers> => {
  const [one, two] = await Promise.all([
    OAuthServer.start({ pkce: true, tokenAuth: "client_secret_basic" }),
    OAuthServer.start({ pkce: false, tokenAuth: "client_secret_post" })
  ])
  const started = await startServer(catalog, {
    ...settingsOf("CRM_PROVIDER_ONE", one, "client_secret_basic"),
    CRM_PROVIDER_ONE_NAME: "Harbour CRM",
    ...settingsOf("CRM_PROVIDER_TWO", two, "client_secret_post"),
    CRM_PROVIDER_TWO_NAME: "Lighthouse CRM",
    ...settings
  })
  await one.sendBackTo(`${started.url}${callbackPath("provider_one")}`)
  await two.sendBackTo(`${started.url}${callbackPath("provider_two")}`)
  const stop = async () => {
    await started.stop()
    await Promise.all([one.down(), two.down()])
  }
  return { provider_one: one, provider_two: two, server: { url: started.url, stop } }
}
