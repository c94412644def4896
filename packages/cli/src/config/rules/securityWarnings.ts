import { Redacted } from "effect"
import { isLoopback } from "../databaseTls.ts"
import type { ParleyConfig } from "../readConfig.ts"
import { unknownText } from "../unknownVariables.ts"
import { weaknessOf } from "./weakSecret.ts"

/** A setting that works but is not safe. The warning contains no setting's value. */
export interface SecurityWarning {
  /** The name of the environment variable. */
  readonly setting: string
  readonly detail: string
  /** The advice that makes the setting safe. */
  readonly advice: string
}

const NEW_SECRET = 'Set it to 32 random bytes or more, for example what "openssl rand -base64 32" prints.'

/** Warnings about secrets that an attacker could guess or find by trying. */
export const weakSecrets = ({ cronSecret, session }: ParleyConfig): ReadonlyArray<SecurityWarning> =>
  Object.entries({
    PARLEY_SESSION_SECRET: session.proof !== undefined && "secrets" in session.proof ? session.proof.secrets : [],
    CRON_SECRET: cronSecret === undefined ? [] : [cronSecret]
  }).flatMap(([setting, secrets]) => {
    const weakness = secrets.map((secret) => weaknessOf(Redacted.value(secret))).find((each) => each !== undefined)
    return weakness === undefined ? [] : [{ setting, detail: `it ${weakness}`, advice: NEW_SECRET }]
  })

/**
 * Warnings about claims of tokens that are not checked: one provider signs tokens for many applications with the same
 * keys or secret. In production both claims must be set; elsewhere a secret may belong to one application only.
 */
export const unboundSessions = ({
  production,
  session: { audience, issuer, proof }
}: ParleyConfig): ReadonlyArray<SecurityWarning> =>
  proof === undefined || proof._tag === "Own" || (proof._tag === "Secret" && !production)
    ? []
    : Object.entries({ PARLEY_SESSION_ISSUER: issuer, PARLEY_SESSION_AUDIENCE: audience }).flatMap(([setting, value]) =>
        value !== undefined
          ? []
          : [
              {
                setting,
                detail: "it is not set, and a token that the provider issued for another application counts",
                advice: "Set it to the value in this application's tokens."
              }
            ]
      )

/** Warnings about database connections that cross a network unencrypted. */
export const unencryptedConnections = ({ database }: ParleyConfig): ReadonlyArray<SecurityWarning> =>
  database._tag === "Embedded"
    ? []
    : database.withoutTls.map((setting) => ({
        setting,
        detail: "the database is on another machine, and the connection need not be encrypted",
        advice: 'Add "sslmode=verify-full" to it, so that nobody on the way can read or change what is sent.'
      }))

/**
 * True if the address is encrypted, or leads to this machine or to a container: host names of one word are not public.
 */
const isPrivate = (address: string): boolean => {
  const { hostname, protocol } = new URL(address)
  return protocol === "https:" || isLoopback(hostname) || /^[\w-]+$/.test(hostname) || hostname.endsWith(".localhost")
}

/**
 * Warnings about addresses of this server and of other services over which keys, sessions and texts travel unencrypted.
 */
export const unencryptedAddresses = (config: ParleyConfig): ReadonlyArray<SecurityWarning> => {
  const { anthropic, baseUrl, openai, payments, production } = config
  const services = {
    OPENAI_BASE_URL: openai?.baseUrl,
    ANTHROPIC_BASE_URL: anthropic?.baseUrl,
    STRIPE_API_URL: payments?.apiUrl
  }
  const own = {
    setting: "PARLEY_BASE_URL",
    advice: "Set it to the address that people use, which begins with https://."
  }
  return [
    ...(production && baseUrl === undefined
      ? [{ ...own, detail: "it is not set, and session cookies are accepted over http" }]
      : []),
    ...(baseUrl !== undefined && !isPrivate(baseUrl)
      ? [{ ...own, detail: "it is not over https, and others on the way can read and take over sessions" }]
      : []),
    ...Object.entries(services).flatMap(([setting, url]) =>
      url === undefined || isPrivate(url)
        ? []
        : [
            {
              setting,
              detail: "it is not over https, and others on the way can read keys and texts",
              advice: "Set it to an address that begins with https://."
            }
          ]
    )
  ]
}

/** Reasons to refuse the configuration in production: connections to a database whose certificate is not verified. */
export const unverifiedConnections = ({ database, production }: ParleyConfig): ReadonlyArray<string> =>
  database._tag === "Embedded" || !production
    ? []
    : database.unverified.map(
        (setting) =>
          `${setting}: NODE_ENV is production, and the certificate of a database on another machine has to be verified. Add "sslmode=verify-full" to it, and "sslrootcert=<file>" if its authority is not one of the system's`
      )

/**
 * Warnings about variables that Parley does not know. The operator may have misspelt a variable, which is then missing.
 */
export const unheardSettings = ({ unknownVariables }: ParleyConfig): ReadonlyArray<SecurityWarning> =>
  unknownVariables.map((each) => ({
    setting: each.name,
    detail: unknownText(each),
    advice: "Correct its name, or take it out."
  }))

/** The text of a warning: the variable and one sentence. */
export const warningText = ({ advice, detail, setting }: SecurityWarning): string => `${setting}: ${detail}. ${advice}`
