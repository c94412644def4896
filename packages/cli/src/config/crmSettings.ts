import {
  CRM_PRESETS,
  CRM_TOKEN_AUTHS,
  type CrmEndpoints,
  crmPresets,
  isCrmEndpoint,
  type OAuthCrmOptions
} from "@parley/adapters-crm"
import { CRM_PROVIDERS } from "@parley/core/adapter"
import type { CrmProviderId } from "@parley/core"
import type { EnvironmentReader } from "./EnvironmentReader.ts"

/** The prefix of the environment variables of each CRM provider. */
const CRM_PREFIXES: Readonly<Record<CrmProviderId, string>> = {
  provider_one: "CRM_PROVIDER_ONE",
  provider_two: "CRM_PROVIDER_TWO"
}

const VARIABLES = [
  ...["PRESET", "NAME", "CLIENT_ID", "CLIENT_SECRET", "AUTHORIZE_URL", "TOKEN_URL", "REVOKE_URL"],
  ...["SCOPES", "ISSUER", "TOKEN_AUTH"]
]
/** OAuth scopes (RFC 6749, 3.3) separated by spaces. */
const SCOPES = /^[\x21\x23-\x5b\x5d-\x7e\s]+$/

/** The CRM providers that the environment configures. A provider with only a part of its variables is a problem. */
export const readCrmProviders = (read: EnvironmentReader): ReadonlyArray<OAuthCrmOptions> =>
  CRM_PROVIDERS.flatMap((id) => {
    const prefix = CRM_PREFIXES[id]
    const isMentioned = VARIABLES.some((name) => read.text(`${prefix}_${name}`) !== undefined)
    const provider = isMentioned ? crmProvider(read, id, prefix) : undefined
    return provider === undefined ? [] : [provider]
  })

const crmProvider = (read: EnvironmentReader, id: CrmProviderId, prefix: string): OAuthCrmOptions | undefined => {
  const before = read.problems.length
  const endpoints = crmEndpoints(read, prefix)
  const clientId = read.text(`${prefix}_CLIENT_ID`)
  const clientSecret = read.secret(`${prefix}_CLIENT_SECRET`)
  if (clientId === undefined) {
    read.problem(`${prefix}_CLIENT_ID`, `expected the id that the provider gave this server, since ${prefix}_* is set`)
  }
  if (endpoints.tokenAuth === "none" && id === "provider_two") {
    read.problem(`${prefix}_TOKEN_AUTH`, "expected a way with a secret: without PKCE nothing else would protect a code")
  }
  if (endpoints.tokenAuth !== "none" && clientSecret === undefined) {
    read.problem(`${prefix}_CLIENT_SECRET`, `expected the secret that belongs to ${prefix}_CLIENT_ID`)
  }
  if (clientId === undefined || read.problems.length > before) return undefined
  return { ...endpoints, id, clientId, clientSecret }
}

/** The preset's endpoints with the configured overrides. Without a preset, both addresses are required. */
const crmEndpoints = (read: EnvironmentReader, prefix: string): CrmEndpoints => {
  const presetName = read.choice(`${prefix}_PRESET`, CRM_PRESETS)
  const preset = presetName === undefined ? undefined : crmPresets[presetName]
  const needsUrls = read.text(`${prefix}_PRESET`) === undefined
  const authorizeUrl = endpoint(read, `${prefix}_AUTHORIZE_URL`, needsUrls) ?? preset?.authorizeUrl ?? ""
  const tokenUrl = endpoint(read, `${prefix}_TOKEN_URL`, needsUrls) ?? preset?.tokenUrl ?? ""
  const revokeUrl = endpoint(read, `${prefix}_REVOKE_URL`, false) ?? preset?.revokeUrl
  return {
    ...preset,
    name: read.text(`${prefix}_NAME`) ?? preset?.name ?? URL.parse(authorizeUrl)?.hostname ?? "",
    authorizeUrl,
    tokenUrl,
    revokeUrl,
    issuer: endpoint(read, `${prefix}_ISSUER`, false),
    tokenAuth: read.choice(`${prefix}_TOKEN_AUTH`, CRM_TOKEN_AUTHS) ?? preset?.tokenAuth ?? "client_secret_basic",
    scopes: scopes(read, `${prefix}_SCOPES`) ?? preset?.scopes ?? []
  }
}

const endpoint = (read: EnvironmentReader, name: string, isNeeded: boolean): string | undefined => {
  const expected = "an address that begins with https:// (http:// on this machine), without a password in it"
  if (isNeeded && read.text(name) === undefined) read.problem(name, `expected ${expected}`)
  return read.valid(name, expected, isCrmEndpoint)
}

const scopes = (read: EnvironmentReader, name: string): ReadonlyArray<string> | undefined =>
  read.valid(name, "scopes with spaces between them", (text) => SCOPES.test(text))?.split(/\s+/)
