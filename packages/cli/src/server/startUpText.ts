import type { ParleyConfig } from "../config/ParleyConfig.ts"
import {
  answeringVendors,
  isLoopback,
  REAL_MODELS,
  sessionCookieName,
  usesDevelopmentSignIn
} from "../config/serveRules.ts"
import { databaseFolder } from "../dataFolder/databaseFolder.ts"
import { version } from "../version.ts"

/** One part of a running server: what it is, and how to get the real one where it is a stand-in. */
export interface RunningPart {
  readonly part: "database" | "models" | "sign-in"
  readonly runsOn: string
  readonly realPart: string | undefined
}

/** What this configuration runs on. */
export const runningParts = (config: ParleyConfig): ReadonlyArray<RunningPart> => [
  config.database._tag === "Embedded"
    ? {
        part: "database",
        runsOn: `embedded (PGlite), in ${databaseFolder(config.dataFolder)}`,
        realPart: "DATABASE_URL"
      }
    : { part: "database", runsOn: `Postgres, schema ${config.databaseSchema}`, realPart: undefined },
  answeringVendors(config).length === 0
    ? {
        part: "models",
        runsOn: "offline stand-in: quotes your documents, knows nothing else",
        realPart: REAL_MODELS
      }
    : { part: "models", runsOn: answeringVendors(config).join(" and "), realPart: undefined },
  usesDevelopmentSignIn(config)
    ? {
        part: "sign-in",
        runsOn: "development: any e-mail address, from this machine only",
        realPart: "PARLEY_SESSION_SECRET"
      }
    : {
        part: "sign-in",
        runsOn: `sessions signed with HS256, in the cookie ${sessionCookieName(config)}`,
        realPart: undefined
      }
]

/** Where people reach the server that listens on `port`. */
export const serverUrl = ({ baseUrl, host }: ParleyConfig, port: number): string =>
  baseUrl ?? `http://${isLoopback(host) ? "localhost" : host.includes(":") ? `[${host}]` : host}:${port}`

/** What `parley serve` says once it listens. */
export const startUpText = (config: ParleyConfig, port: number): string => {
  const parts = runningParts(config)
  const lines = parts.flatMap(({ part, realPart, runsOn }) => [
    `  ${part.padEnd(10)}${runsOn}`,
    ...(realPart === undefined ? [] : [`  ${"".padEnd(10)}the real one: set ${realPart}`])
  ])
  return [
    `Parley ${version} listens on ${serverUrl(config, port)}`,
    "",
    ...lines,
    "",
    'Environment variables can be set in a file ".env"; "parley doctor" checks them. Ctrl+C stops.'
  ].join("\n")
}
