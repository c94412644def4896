import { Effect } from "effect"
import type { ParleyConfig } from "../config/readConfig.ts"
import { exitCodes } from "../exitCodes.ts"
import { tryPort } from "../server/tryPort.ts"
import { type Check, failed, note, ok } from "./Check.ts"

const PATIENCE_MS = 2_000
const ANY_ADDRESS: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "[::1]" }

interface Health {
  readonly status?: unknown
  readonly notes?: unknown
}

/** The health response of a Parley server on the configured port; undefined if another program listens there. */
const healthOf = async ({ host, port }: ParleyConfig): Promise<Health | undefined> => {
  const address = ANY_ADDRESS[host] ?? (host.includes(":") ? `[${host}]` : host)
  try {
    const answer = await fetch(`http://${address}:${port}/healthz`, { signal: AbortSignal.timeout(PATIENCE_MS) })
    const body = (await answer.json()) as Health | null
    return answer.ok && body?.status === "ok" ? body : undefined
  } catch {
    return undefined
  }
}

/**
 * The findings about a proxy. A server reports them only to callers that reach it on its own machine, by a name or an
 * address such as localhost or 127.0.0.1.
 */
const proxyChecks = ({ notes }: Health): ReadonlyArray<Check> =>
  Array.isArray(notes) && notes.includes("untrusted_proxy")
    ? [
        note(
          "proxy",
          "requests come through a proxy that is not trusted: all its clients count as one and share one limit",
          "Set PARLEY_TRUST_PROXY to the number of proxies in front, or to their addresses."
        )
      ]
    : []

/**
 * Checks that a server can listen on the configured port. If a Parley server listens there already, reports it and the
 * state of its proxy.
 */
export const portChecks = (config: ParleyConfig): Effect.Effect<ReadonlyArray<Check>> =>
  tryPort(config).pipe(
    Effect.as([ok("port", config.port === 0 ? "any free one" : `${config.port} on ${config.host} is free`)]),
    Effect.catchTag("PortTaken", (taken) =>
      Effect.map(
        Effect.promise(() => healthOf(config)),
        (health) =>
          health === undefined
            ? [failed("port", exitCodes.failed, taken.detail, taken.advice)]
            : [
                ok("port", `a server of Parley listens on port ${config.port} of ${config.host}`),
                ...proxyChecks(health)
              ]
      )
    )
  )
