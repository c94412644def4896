import { type ExitCode, exitCodes } from "../exitCodes.ts"

/** The result of one check of `parley doctor`. */
export interface Check {
  readonly name: string
  readonly status: "ok" | "note" | "failed"
  readonly detail: string
  /** The remedy, for the operator. */
  readonly advice?: string
  /** The exit code of the command if this check failed. */
  readonly exit?: ExitCode
}

export const ok = (name: string, detail: string): Check => ({ name, status: "ok", detail })

/** A finding that is harmless on a developer's own machine but worth knowing elsewhere. */
export const note = (name: string, detail: string, advice: string): Check => ({ name, status: "note", detail, advice })

export const failed = (name: string, exit: ExitCode, detail: string, advice: string): Check => ({
  name,
  status: "failed",
  detail,
  advice,
  exit
})

/** A check, and the place where it was made: the command's environment or the running server. */
export interface PlacedCheck extends Check {
  readonly where: "here" | "server"
}

/**
 * The exit code for all checks together: a wrong configuration counts before an unavailable dependency, and that before
 * any other failure.
 */
export const exitOf = (checks: ReadonlyArray<Check>): ExitCode => {
  const found = checks.flatMap((check) => (check.status === "failed" ? [check.exit ?? exitCodes.failed] : []))
  const order = [exitCodes.configuration, exitCodes.unavailable, exitCodes.failed]
  return order.find((exit) => found.includes(exit)) ?? exitCodes.ok
}

const marks = { ok: "ok    ", note: "note  ", failed: "FAILED" } as const

const linesOf = (checks: ReadonlyArray<Check>): ReadonlyArray<string> => {
  const width = Math.max(...checks.map(({ name }) => name.length))
  return checks.flatMap(({ advice, detail, name, status }) => [
    `${marks[status]}  ${name.padEnd(width)}  ${detail}`,
    ...(advice === undefined ? [] : [`        ${"".padEnd(width)}  ${advice}`])
  ])
}

const sameFinding = (one: Check, other: Check): boolean =>
  one.name === other.name && one.status === other.status && one.detail === other.detail && one.advice === other.advice

/**
 * Merges the checks of the command's environment and of the server. A finding of both is listed once, as the server's.
 */
export const placedChecks = (here: ReadonlyArray<Check>, server: ReadonlyArray<Check>): ReadonlyArray<PlacedCheck> => [
  ...here
    .filter((check) => !server.some((other) => sameFinding(check, other)))
    .map((check) => ({ ...check, where: "here" as const })),
  ...server.map((check) => ({ ...check, where: "server" as const }))
]

/**
 * The checks as lines for people. If a server runs, the findings of this environment that differ from the server's are
 * listed separately.
 */
export const checkLines = (checks: ReadonlyArray<PlacedCheck>): ReadonlyArray<string> => {
  const here = checks.filter(({ where }) => where === "here")
  const server = checks.filter(({ where }) => where === "server")
  if (server.length === 0) return linesOf(here)
  if (here.length === 0) return ["In the server that runs, and in this environment:", ...linesOf(server)]
  return ["Only in this environment:", ...linesOf(here), "", "In the server that runs:", ...linesOf(server)]
}
