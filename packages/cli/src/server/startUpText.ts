import type { BackgroundTaskName } from "@parley/core"
import type { ConfiguredCell } from "../config/database/readDatabase.ts"
import type { ParleyConfig } from "../config/readConfig.ts"
import { isLoopback } from "../config/databaseTls.ts"
import { answeringVendors, REAL_MODELS, usesStandInPayments } from "../config/rules/serveRules.ts"
import { usesOwnSignIn } from "../config/rules/ownSignInRules.ts"
import { REAL_SIGN_IN, sessionCookieName, signedWith, usesDevelopmentSignIn } from "../config/session/sessionProof.ts"
import { databaseFolder } from "../dataFolder/databaseFolder.ts"
import { STAND_IN_PATH } from "../payments/standInPath.ts"
import { version } from "../version.ts"

/** A part of a running server. If the part is a stand-in, it names the variable that connects the real one. */
export interface RunningPart {
  readonly part: "database" | "models" | "payments" | "sign-in" | "work"
  readonly runsOn: string
  readonly realPart: string | undefined
}

const cellsText = (cells: ReadonlyArray<ConfiguredCell> | undefined): string =>
  cells === undefined ? "" : `, cells ${cells.map(({ name }) => name).join(", ")}`

export const databasePart = (config: ParleyConfig): RunningPart =>
  config.database._tag === "Embedded"
    ? {
        part: "database",
        runsOn: `embedded (PGlite), in ${databaseFolder(config.dataFolder)}; a power cut can lose the last seconds`,
        realPart: "DATABASE_URL"
      }
    : {
        part: "database",
        runsOn: `Postgres, schema ${config.databaseSchema}${cellsText(config.database.cells)}`,
        realPart: undefined
      }

const REAL_PAYMENTS = "STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET"

const paymentsPart = (config: ParleyConfig): RunningPart => {
  if (usesStandInPayments(config)) {
    const runsOn = `stand-in: no money moves; its pages and its clock are at ${STAND_IN_PATH}`
    return { part: "payments", runsOn, realPart: REAL_PAYMENTS }
  }
  if (config.payments === undefined) return { part: "payments", runsOn: "none", realPart: REAL_PAYMENTS }
  return {
    part: "payments",
    runsOn:
      config.payments.webhookSecret === undefined ? "Stripe, which sells nothing: its events are not taken" : "Stripe",
    realPart: config.payments.webhookSecret === undefined ? "STRIPE_WEBHOOK_SECRET" : undefined
  }
}

const signInPart = (config: ParleyConfig): RunningPart => {
  if (usesDevelopmentSignIn(config)) {
    const runsOn = "development: any e-mail address, from this machine only"
    return { part: "sign-in", runsOn, realPart: REAL_SIGN_IN }
  }
  if (config.mail?._tag === "Log" && usesOwnSignIn(config)) {
    return { part: "sign-in", runsOn: "by e-mail; mails are printed here", realPart: "PARLEY_SMTP_URL" }
  }
  const runsOn = `sessions signed with ${signedWith(config.session)}, in the cookie ${sessionCookieName(config)}`
  return { part: "sign-in", runsOn, realPart: undefined }
}

/** Describes the parts of this configuration and the background work of its server. */
export const runningParts = (
  config: ParleyConfig,
  tasks: ReadonlyArray<BackgroundTaskName>
): ReadonlyArray<RunningPart> => [
  databasePart(config),
  answeringVendors(config).length === 0
    ? {
        part: "models",
        runsOn: "offline stand-in: quotes your documents, knows nothing else",
        realPart: REAL_MODELS
      }
    : { part: "models", runsOn: answeringVendors(config).join(" and "), realPart: undefined },
  paymentsPart(config),
  signInPart(config),
  {
    part: "work",
    runsOn: tasks.length === 0 ? 'not here: it needs a process with "parley work"' : `here: ${tasks.join(", ")}`,
    realPart: undefined
  }
]

/** The address of the server on `port`, for people. */
export const serverUrl = ({ baseUrl, host }: ParleyConfig, port: number): string =>
  baseUrl ?? `http://${isLoopback(host) ? "localhost" : host.includes(":") ? `[${host}]` : host}:${port}`

const partLines = ({ part, realPart, runsOn }: RunningPart): ReadonlyArray<string> => [
  `  ${part.padEnd(10)}${runsOn}`,
  ...(realPart === undefined ? [] : [`  ${"".padEnd(10)}the real one: set ${realPart}`])
]

/** The text that `parley serve` prints when it listens. */
export const startUpText = (config: ParleyConfig, tasks: ReadonlyArray<BackgroundTaskName>, port: number): string =>
  [
    `Parley ${version} listens on ${serverUrl(config, port)}`,
    "",
    ...runningParts(config, tasks).flatMap(partLines),
    "",
    'Environment variables can be set in a file ".env"; "parley doctor" checks them. Ctrl+C stops.'
  ].join("\n")

/** The text that `parley work` prints when it starts. */
export const workText = (
  config: ParleyConfig,
  tasks: ReadonlyArray<BackgroundTaskName>,
  port: number | undefined
): string =>
  [
    `Parley ${version} works: ${tasks.join(", ")}`,
    "",
    ...partLines(databasePart(config)),
    ...(port === undefined ? [] : [`It answers GET /healthz on port ${port}.`]),
    "",
    "Any number of workers may run. Ctrl+C stops."
  ].join("\n")
