import type { AnsweredRequest } from "@parley/adapters-http/node"
import type { ParleyConfig } from "../config/readConfig.ts"

/** Rounds a time in milliseconds to one decimal. */
const rounded = (milliseconds: number | undefined): number | undefined =>
  milliseconds === undefined ? undefined : Math.round(milliseconds * 10) / 10

const lineOf = ({ durationMs, firstByteMs, userId, ...rest }: AnsweredRequest): string =>
  JSON.stringify({
    timestamp: new Date().toISOString(),
    ...rest,
    user: userId,
    durationMs: rounded(durationMs),
    firstByteMs: rounded(firstByteMs)
  })

/**
 * Writes one line of JSON for each request to stdout, which no other log uses; undefined if requests are not logged.
 */
export const accessLog = (
  { logRequests, production }: ParleyConfig,
  stdout: (text: string) => void
): ((answered: AnsweredRequest) => void) | undefined =>
  logRequests === "on" || (logRequests === "auto" && production)
    ? (answered) => stdout(`${lineOf(answered)}\n`)
    : undefined
