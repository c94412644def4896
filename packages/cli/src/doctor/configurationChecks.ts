import { accessSync, constants, existsSync } from "node:fs"
import { dirname } from "node:path"
import { type Tier, UploadLimits } from "@parley/core"
import { Effect } from "effect"
import { type ConfigInvalid, type ParleyConfig } from "../config/ParleyConfig.ts"
import { serveRefusals, sessionCookieName, usesDevelopmentSignIn } from "../config/serveRules.ts"
import { exitCodes } from "../exitCodes.ts"
import { type Check, failed, note, ok } from "./Check.ts"
import { securityChecks } from "./securityChecks.ts"

/** The program this runs in. */
export const nodeCheck = (): Check => ok("node", process.versions.node)

/** A configuration that cannot be read, a check for each of its problems. */
export const invalidConfigChecks = ({ problems }: ConfigInvalid): ReadonlyArray<Check> =>
  problems.map((problem) =>
    failed("configuration", exitCodes.configuration, problem, "Change it in the environment or in .env.")
  )

/** What can be said of a configuration without opening anything. */
export const configurationChecks = Effect.fnUntraced(function* (config: ParleyConfig) {
  const refusals = serveRefusals(config)
  const { maxBytes, types } = { ...(yield* UploadLimits), ...config.uploads }
  const served = refusals.map((refusal) => failed("configuration", exitCodes.configuration, "not servable", refusal))
  return [
    ...(served.length > 0 ? served : [ok("configuration", "usable")]),
    sessionCheck(config),
    ...securityChecks(config),
    dataFolderCheck(config),
    scheduleCheck(config),
    ok("uploads", `${types.join(", ")}, up to ${maxBytes} bytes`),
    ...Object.values(config.catalog.tiers).map(tierCheck)
  ] satisfies ReadonlyArray<Check>
})

const sessionCheck = (config: ParleyConfig): Check =>
  usesDevelopmentSignIn(config)
    ? note(
        "sessions",
        "development sign-in: any e-mail address, from this machine only",
        "Set PARLEY_SESSION_SECRET to the key your identity provider signs sessions with (HS256)."
      )
    : ok("sessions", `HS256, in the cookie ${sessionCookieName(config)}`)

const scheduleCheck = ({ cronSecret }: ParleyConfig): Check =>
  cronSecret === undefined
    ? note(
        "schedules",
        "GET /api/cron/reset-credits answers 503 to everybody",
        'Set CRON_SECRET and call the route daily, or run "parley credits reset" daily.'
      )
    : ok("schedules", "GET /api/cron/reset-credits takes the bearer secret")

const tierCheck = ({ maxDocumentBytes, maxDocuments, models, monthlyCredits, name }: Tier): Check =>
  ok(
    `tier ${name}`,
    `${monthlyCredits} credits a month; ${maxDocuments} documents, ${maxDocumentBytes} bytes; ${models.join(", ")}`
  )

/** The folder, or where there is none yet the nearest one above it, must be writable. */
const dataFolderCheck = ({ dataFolder }: ParleyConfig): Check => {
  let nearest = dataFolder
  while (!existsSync(nearest) && dirname(nearest) !== nearest) nearest = dirname(nearest)
  try {
    accessSync(nearest, constants.W_OK)
    return ok("data folder", nearest === dataFolder ? dataFolder : `${dataFolder} (not made yet)`)
  } catch {
    const advice = "Make it writable, or set PARLEY_DATA_DIR to another folder."
    return failed("data folder", exitCodes.configuration, `${dataFolder} cannot be written`, advice)
  }
}
