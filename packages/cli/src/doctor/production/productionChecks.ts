import type { ParleyConfig } from "../../config/readConfig.ts"
import { answeringVendors, REAL_MODELS, usesStandInPayments } from "../../config/rules/serveRules.ts"
import { unboundSessions } from "../../config/rules/securityWarnings.ts"
import { REAL_SIGN_IN } from "../../config/session/sessionProof.ts"
import { exitCodes } from "../../exitCodes.ts"
import { type Check, failed, ok } from "../Check.ts"
import { backupCheck } from "./backupCheck.ts"

/** A finding about one item of the checklist: a text, and if the item is not fulfilled, the remedy. */
type Finding = { readonly fine: string } | { readonly wrong: string; readonly advice: string }

const mode = ({ production }: ParleyConfig): Finding =>
  production
    ? { fine: "NODE_ENV is production" }
    : {
        wrong: "NODE_ENV is not production: logs are for people, and weak secrets are allowed",
        advice: "Set NODE_ENV=production."
      }

const address = ({ baseUrl }: ParleyConfig): Finding =>
  baseUrl?.startsWith("https://") === true
    ? { fine: baseUrl }
    : {
        wrong: baseUrl === undefined ? "PARLEY_BASE_URL is not set" : "PARLEY_BASE_URL is not over https",
        advice: "Set it to the address that people use, which begins with https://."
      }

const proxyTrust = ({ trustProxy }: ParleyConfig): Finding => {
  if (trustProxy === undefined) {
    return {
      wrong: "PARLEY_TRUST_PROXY is not set: behind a proxy all people would count as one client",
      advice: "Set it to the number of proxies in front, or to their addresses; to 0 if there is none."
    }
  }
  return { fine: trustProxy === 0 ? "no proxy stands in front" : `trusted: ${trustProxy}` }
}

const issuerAndAudience = (config: ParleyConfig): Finding => {
  const { proof } = config.session
  if (proof === undefined) {
    return { wrong: "no provider proves sessions: the sign-in is that for development", advice: `Set ${REAL_SIGN_IN}.` }
  }
  if (proof._tag === "Own") return { fine: "this server signs people in by e-mail" }
  const [missing] = unboundSessions({ ...config, production: true })
  if (missing === undefined) return { fine: "tokens of one issuer and one audience count" }
  return { wrong: `${missing.setting}: ${missing.detail}`, advice: missing.advice }
}

const databaseServer = ({ database }: ParleyConfig): Finding =>
  database._tag === "Server"
    ? { fine: "Postgres" }
    : {
        wrong: "the embedded database has one process, and no server can take over from it",
        advice: 'Set DATABASE_URL to a Postgres server. "parley move --to <url>" takes the data there.'
      }

const databaseTls = ({ database }: ParleyConfig): Finding => {
  const open = database._tag === "Server" ? [...new Set([...database.withoutTls, ...database.unverified])] : []
  if (open.length === 0)
    return { fine: "the server's certificate is verified, or it is on this machine or network of containers" }
  return {
    wrong: `${open.join(" and ")}: the connection crosses a network without a verified certificate`,
    advice: 'Add "sslmode=verify-full" to it, and "sslrootcert=<file>" if its authority is not one of the system\'s.'
  }
}

const standIns = (config: ParleyConfig): Finding => {
  if (config.allowStandIns) {
    return {
      wrong: "PARLEY_ALLOW_STAND_INS allows the offline model and payments without money",
      advice: "Take it out."
    }
  }
  if (answeringVendors(config).length === 0) {
    return { wrong: "no vendor of models is set up: the offline model would answer", advice: `Set ${REAL_MODELS}.` }
  }
  if (usesStandInPayments(config)) {
    return {
      wrong: "the stand-in for payments sells",
      advice: "Set STRIPE_SECRET_KEY, or NODE_ENV=production to sell nothing."
    }
  }
  return { fine: "none" }
}

const webhookSecret = ({ catalog, payments }: ParleyConfig): Finding => {
  if (payments?.webhookSecret !== undefined) return { fine: "events of payments are verified" }
  if (payments !== undefined) {
    return {
      wrong: "STRIPE_WEBHOOK_SECRET is not set: people would pay and get nothing",
      advice: "Set it to the signing secret of the endpoint /api/webhooks/payment."
    }
  }
  return Object.keys(catalog.prices).length === 0
    ? { fine: "nothing is on sale" }
    : {
        wrong: "the file of PARLEY_CONFIG has prices, and no payment provider is set up",
        advice: "Set STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET, or take the prices out."
      }
}

const encryptionKey = ({ encryptionKeys }: ParleyConfig): Finding =>
  encryptionKeys.length > 0
    ? { fine: "set" }
    : {
        wrong: "PARLEY_ENCRYPTION_KEY is not set",
        advice: 'Set it to what "openssl rand -base64 32" prints, and keep it apart from the backups.'
      }

const KEPT = {
  chatsMs: "PARLEY_RETENTION_CHATS",
  visitorsMs: "PARLEY_RETENTION_VISITORS",
  logsMs: "PARLEY_RETENTION_LOGS"
} as const

const retention = ({ settings }: ParleyConfig): Finding => {
  const names = Object.keys(KEPT) as ReadonlyArray<keyof typeof KEPT>
  const open = names.filter((name) => settings.retention?.[name] === undefined).map((name) => KEPT[name])
  if (open.length === 0) return { fine: "decided for chats, visitors and the audit log" }
  return {
    wrong: `not decided: ${open.join(", ")}`,
    advice: "Set each to the days after which the data is deleted; 36500 keeps it for a hundred years."
  }
}

/** The items of the checklist that the configuration alone decides, in the order of docs/deploy/production.md. */
const ITEMS: ReadonlyArray<readonly [name: string, find: (config: ParleyConfig) => Finding]> = [
  ["production mode", mode],
  ["address", address],
  ["proxy trust", proxyTrust],
  ["issuer and audience", issuerAndAudience],
  ["database server", databaseServer],
  ["database TLS", databaseTls],
  ["stand-ins", standIns],
  ["webhook secret", webhookSecret],
  ["encryption key", encryptionKey],
  ["retention", retention]
]

/** The item of the checklist that is checked in the database. */
const WORKERS = "workers"

/** Checks whose `note` is a failure in production. */
const PROMOTED = [WORKERS, "proxy"]

/** The names of all items of the checklist, in order. */
export const PRODUCTION_ITEMS: ReadonlyArray<string> = [...ITEMS.map(([name]) => name), "backup", WORKERS]

/** Checks the items that the configuration decides, and the backup. `now` is in Unix milliseconds. */
export const productionChecks = (config: ParleyConfig, now: number): ReadonlyArray<Check> => [
  ...ITEMS.map(([name, find]) => {
    const finding = find(config)
    return "fine" in finding
      ? ok(name, finding.fine)
      : failed(name, exitCodes.configuration, finding.wrong, finding.advice)
  }),
  backupCheck(config, now)
]

/**
 * Combines the checks of `doctor` with the checklist: its items come first, and replace other checks of the same name.
 */
export const withProduction = (
  checks: ReadonlyArray<Check>,
  production: ReadonlyArray<Check>
): ReadonlyArray<Check> => {
  const names = new Set(production.map(({ name }) => name))
  const others = checks.filter(({ name }) => !names.has(name))
  return [
    ...production,
    ...others.map((check): Check =>
      PROMOTED.includes(check.name) && check.status === "note"
        ? { ...check, status: "failed", exit: exitCodes.failed }
        : check
    )
  ]
}
