import { Redacted } from "effect"
import { isLoopback } from "../databaseTls.ts"
import type { ParleyConfig } from "../readConfig.ts"
import { unknownText } from "../unknownVariables.ts"
import { weaknessOf } from "./weakSecret.ts"

/** Something that works and is not safe; without any value of a setting. */
export interface SecurityWarning {
  /** The variable. */
  readonly setting: string
  readonly detail: string
  /** The remedy. */
  readonly advice: string
}

const NEW_SECRET = 'Set it to 32 random bytes or more, for example what "openssl rand -base64 32" prints.'

/** The secrets that others could guess, or find by trying. */
export const weakSecrets = ({ cronSecret, session }: ParleyConfig): ReadonlyArray<SecurityWarning> =>
  Object.entries({
    PARLEY_SESSION_SECRET: session.proof !== undefined && "secrets" in session.proof ? session.proof.secrets : [],
    CRON_SECRET: cronSecret === undefined ? [] : [cronSecret]
  }).flatMap(([setting, secrets]) => {
    const weakness = secrets.map((secret) => weaknessOf(Redacted.value(secret))).find((each) => each !== undefined)
    return weakness === undefined ? [] : [{ setting, detail: `it ${weakness}`, advice: NEW_SECRET }]
  })

/**
 * The claims of tokens that are not checked: one provider signs for many applications with the same keys, or with the
 * same secret. In production both must be set; elsewhere a secret may serve one application alone.
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

/** The connections to the database that cross a network in the clear. */
export const unencryptedConnections = ({ database }: ParleyConfig): ReadonlyArray<SecurityWarning> =>
  database._tag === "Embedded"
    ? []
    : database.withoutTls.map((setting) => ({
        setting,
        detail: "the database is on another machine, and the connection need not be encrypted",
        advice: 'Add "sslmode=verify-full" to it, so that nobody on the way can read or change what is sent.'
      }))

/** Encrypted, or to this machine or to a container beside it: names of one word are no public ones. */
const isPrivate = (address: string): boolean => {
  const { hostname, protocol } = new URL(address)
  return protocol === "https:" || isLoopback(hostname) || /^[\w-]+$/.test(hostname) || hostname.endsWith(".localhost")
}

/** The addresses of this server and of other services over which keys, sessions and texts travel in the clear. */
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

/** The reasons in production against connections to a database whose identity is not proven. */
export const unverifiedConnections = ({ database, production }: ParleyConfig): ReadonlyArray<string> =>
  database._tag === "Embedded" || !production
    ? []
    : database.unverified.map(
        (setting) =>
          `${setting}: NODE_ENV is production, and the certificate of a database on another machine has to be verified. Add "sslmode=verify-full" to it, and "sslrootcert=<file>" if its authority is not one of the system's`
      )

/** Variables that are set for nothing; one that was meant is missing perhaps. */
export const unheardSettings = ({ unknownVariables }: ParleyConfig): ReadonlyArray<SecurityWarning> =>
  unknownVariables.map((each) => ({
    setting: each.name,
    detail: unknownText(each),
    advice: "Correct its name, or take it out."
  }))

/** A warning as one sentence after the variable. */
export const warningText = ({ advice, detail, setting }: SecurityWarning): string => `${setting}: ${detail}. ${advice}`
