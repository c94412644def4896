import { Effect } from "effect"
import type { ParleyConfig } from "../config/ParleyConfig.ts"
import { exitCodes } from "../exitCodes.ts"
import { tryPort } from "../server/tryPort.ts"
import { type Check, failed, ok } from "./Check.ts"

const PATIENCE_MS = 2_000
const ANY_ADDRESS: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "[::1]" }

/** True where what listens is a Parley server in good health. */
const isParley = async ({ host, port }: ParleyConfig): Promise<boolean> => {
  const address = ANY_ADDRESS[host] ?? (host.includes(":") ? `[${host}]` : host)
  try {
    const answer = await fetch(`http://${address}:${port}/healthz`, { signal: AbortSignal.timeout(PATIENCE_MS) })
    const body: unknown = await answer.json()
    return answer.ok && typeof body === "object" && body !== null && "status" in body && body.status === "ok"
  } catch {
    return false
  }
}

/** Whether a server could listen on the configured port, or one does. */
export const portCheck = (config: ParleyConfig): Effect.Effect<Check> =>
  tryPort(config).pipe(
    Effect.as(ok("port", config.port === 0 ? "any free one" : `${config.port} on ${config.host} is free`)),
    Effect.catchTag("PortTaken", (taken) =>
      Effect.map(
        Effect.promise(() => isParley(config)),
        (parley) =>
          parley
            ? ok("port", `a server of Parley listens on port ${config.port} of ${config.host}`)
            : failed("port", exitCodes.failed, taken.detail, taken.advice)
      )
    )
  )
