import { VENDORS } from "@parley/core/adapter"
import { isLoopback } from "../databaseTls.ts"
import type { ParleyConfig } from "../readConfig.ts"
import { REAL_SIGN_IN, usesDevelopmentSignIn } from "../session/sessionProof.ts"
import { ownSignInRefusals } from "./ownSignInRules.ts"
import { unboundSessions, unverifiedConnections, warningText, weakSecrets } from "./securityWarnings.ts"

/** The vendors with a key in the configuration. If there are none, the offline model answers for every model. */
export const answeringVendors = (config: ParleyConfig): ReadonlyArray<string> => [
  ...VENDORS.filter((vendor) => config[vendor] !== undefined),
  ...Object.keys(config.vendors)
]

/** The variables that connect real models. */
export const REAL_MODELS = "OPENAI_API_KEY or ANTHROPIC_API_KEY"

/** The reason why clients beyond this machine could reach the server; undefined if they cannot. */
const exposure = ({ baseUrl, host, passedSockets, production, trustProxy }: ParleyConfig): string | undefined => {
  if (production) return "NODE_ENV is production"
  if (passedSockets !== undefined) return "systemd opens the port, on any address"
  if (!isLoopback(host)) return "HOST is not a loopback address"
  if (baseUrl !== undefined && !isLocalName(new URL(baseUrl).hostname)) return "PARLEY_BASE_URL is not on this machine"
  if (trustProxy !== undefined && trustProxy !== 0) return "PARLEY_TRUST_PROXY says that a proxy stands in front"
  return undefined
}

/**
 * True if the payment stand-in sells: no payment provider is configured, and only people on this machine could buy,
 * unless the configuration allows stand-ins explicitly.
 */
export const usesStandInPayments = (config: ParleyConfig): boolean =>
  config.payments === undefined && (config.allowStandIns || exposure(config) === undefined)

const isLocalName = (host: string): boolean => isLoopback(host) || host.endsWith(".localhost")

/**
 * The reasons to refuse serving with this configuration: settings that are harmless only on a developer's own machine.
 */
export const serveRefusals = (config: ParleyConfig): ReadonlyArray<string> => {
  const refusals: Array<string> = []
  const exposed = exposure(config)
  if (usesDevelopmentSignIn(config) && exposed !== undefined) {
    refusals.push(
      `${REAL_SIGN_IN}: ${exposed}, and with none of them anybody could sign in as anybody. Set the first to the address of your identity provider, the second to the secret that it signs sessions with (HS256), or the third to your mail server, for sign-ins by e-mail`
    )
  }
  refusals.push(...ownSignInRefusals(config, exposed))
  if (config.passedSockets !== undefined && config.passedSockets !== 1) {
    refusals.push(
      "LISTEN_FDS: systemd passes another number of sockets than one. Keep one line ListenStream= in the socket's unit, and one name after Sockets= in the service's"
    )
  }
  if (config.production && answeringVendors(config).length === 0 && !config.allowStandIns) {
    refusals.push(
      `${REAL_MODELS}: NODE_ENV is production, and the offline stand-in would answer. Set one of them, or PARLEY_ALLOW_STAND_INS=1 if a stand-in is what you want`
    )
  }
  if (config.production && config.payments !== undefined && config.payments.webhookSecret === undefined) {
    refusals.push(
      "STRIPE_WEBHOOK_SECRET: STRIPE_SECRET_KEY is set, and without it no event of Stripe's is taken: people would pay and get nothing. Set it to the signing secret of the endpoint /api/webhooks/payment"
    )
  }
  if (config.production && config.crmProviders.length > 0 && config.encryptionKeys.length === 0) {
    refusals.push(
      'PARLEY_ENCRYPTION_KEY: a CRM provider is set up, and its tokens are kept in no other way than encrypted. Set it to 32 random bytes, for example what "openssl rand -base64 32" prints'
    )
  }
  refusals.push(...unverifiedConnections(config))
  if (config.production) refusals.push(...[...weakSecrets(config), ...unboundSessions(config)].map(warningText))
  return refusals
}
