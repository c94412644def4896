import { existsSync } from "node:fs"
import type { Tier } from "@parley/core"
import { settingsLayer, UploadLimits } from "@parley/core/effect"
import { Effect } from "effect"
import { folderProblems } from "../config/loadConfig.ts"
import { type ParleyConfig } from "../config/readConfig.ts"
import type { Settings } from "../config/readConfig.ts"
import { unheardSettings } from "../config/rules/securityWarnings.ts"
import { serveRefusals } from "../config/rules/serveRules.ts"
import { REAL_SIGN_IN, sessionCookieName, signedWith, usesDevelopmentSignIn } from "../config/session/sessionProof.ts"
import { tasksOf } from "../config/rules/workRules.ts"
import { exitCodes } from "../exitCodes.ts"
import { type Check, failed, note, ok } from "./Check.ts"
import { paymentChecks } from "./payments/paymentChecks.ts"
import { encryptionKeyCheck, notes, securityChecks } from "./securityChecks.ts"

/** Reports the version of Node. */
export const nodeCheck = (): Check => ok("node", process.versions.node)

const problemCheck = (problem: string): Check =>
  failed("configuration", exitCodes.configuration, problem, "Change it in the environment or in .env.")

/**
 * Checks the settings without opening the database or a connection. Lists every reason why `parley serve` would refuse
 * them.
 */
export const configurationChecks = Effect.fnUntraced(function* ({ config, problems }: Settings) {
  const found = [...problems, ...folderProblems(config), ...serveRefusals(config)].map(problemCheck)
  // If the settings cannot be used, further checks would judge defaults, so they are left out.
  const unheard = notes("configuration", unheardSettings(config))
  if (problems.length > 0) return [...found, ...unheard]
  const { maxBytes, types } = yield* Effect.provide(UploadLimits, settingsLayer(config.settings))
  return [
    ...(found.length > 0 ? found : [ok("configuration", "usable")]),
    ...unheard,
    sessionCheck(config),
    ...securityChecks(config),
    ...dataFolderCheck(config),
    workCheck(config),
    scheduleCheck(config),
    retentionCheck(config),
    ...paymentChecks(config),
    ...crmChecks(config),
    challengeCheck(config),
    yield* encryptionKeyCheck(config),
    ok("uploads", `${types.join(", ")}, up to ${maxBytes} bytes`),
    ...Object.values(config.catalog.tiers).map(tierCheck)
  ]
})

const sessionCheck = (config: ParleyConfig): Check =>
  usesDevelopmentSignIn(config)
    ? note(
        "sessions",
        "development sign-in: any e-mail address, from this machine only",
        `Set ${REAL_SIGN_IN}: your identity provider, the secret that it signs sessions with (HS256), or a mail server.`
      )
    : ok("sessions", `signed with ${signedWith(config.session)}, in the cookie ${sessionCookieName(config)}`)

const scheduleCheck = (config: ParleyConfig): Check => {
  if (config.cronSecret !== undefined) {
    return ok("resets", "begun by a schedule: GET /api/cron/reset-credits takes the bearer secret")
  }
  return tasksOf(config).includes("resets")
    ? ok("resets", "begun by the background work, every hour")
    : note(
        "resets",
        "begun by nobody: PARLEY_RESET is off, and GET /api/cron/reset-credits answers 503 to everybody",
        'Set CRON_SECRET and call the route daily, or run "parley credits reset" daily.'
      )
}

/** Reports which process does the background work under these settings. */
const workCheck = (config: ParleyConfig): Check =>
  config.database._tag === "Embedded"
    ? ok("work", `by "parley serve": ${tasksOf(config).join(", ")}`)
    : ok("work", `by "parley serve" and "parley work": ${tasksOf(config).join(", ")}`)

const DAY_MS = 86_400_000

const keptFor = (ms: number | undefined): string => (ms === undefined ? "for ever" : `for ${ms / DAY_MS} days`)

/** Reports the retention times that the operator has set. */
const retentionCheck = ({ settings: { retention } }: ParleyConfig): Check =>
  ok(
    "retention",
    `chats ${keptFor(retention?.chatsMs)}, visitors' conversations ${keptFor(retention?.visitorsMs)}, the audit log ${keptFor(retention?.logsMs)}`
  )

/** Reports the CRM providers to which bots can be connected, with the redirect address to register at each. */
const crmChecks = ({ baseUrl, crmProviders }: ParleyConfig): ReadonlyArray<Check> =>
  crmProviders.map(({ id, name }) =>
    ok("crm", `${name}; its redirect address is ${baseUrl ?? "<the address people use>"}/api/crm/${id}/callback`)
  )

const challengeCheck = ({ catalog: { widget }, turnstile }: ParleyConfig): Check =>
  turnstile === undefined
    ? ok("visitors", "no challenge: TURNSTILE_SITE_KEY and TURNSTILE_SECRET_KEY are not set")
    : ok("visitors", `Turnstile; messages an hour without it: ${widget.messagesBeforeChallenge}`)

const tierCheck = ({ maxDocumentBytes, maxDocuments, models, monthlyCredits, name }: Tier): Check =>
  ok(
    `tier ${name}`,
    `${monthlyCredits} credits a month; ${maxDocuments} documents, ${maxDocumentBytes} bytes; ${models.join(", ")}`
  )

/**
 * Checks the data folder. With a database server the folder stores nothing; an unusable folder is a problem of the
 * configuration.
 */
const dataFolderCheck = (config: ParleyConfig): ReadonlyArray<Check> => {
  const { database, dataFolder } = config
  if (database._tag === "Server" || folderProblems(config).length > 0) return []
  return [ok("data folder", existsSync(dataFolder) ? dataFolder : `${dataFolder} (not made yet)`)]
}
