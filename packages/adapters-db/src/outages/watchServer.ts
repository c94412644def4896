import { causeCode, SilenceWatch } from "@parley/core/adapter"
import { Clock, Effect } from "effect"
import type pg from "pg"
import type { PgPool } from "../database/server/PgPool.ts"
import { tlsRefusal } from "../database/tlsRefusal.ts"
import { isReported } from "../database/toDatabaseError.ts"

/** Time limit of a probe to a silent server, and the pause between two probes. Milliseconds. */
const PROBE_MS = 2_000
const PROBE_EVERY_MS = 2_000

type Client = new (options: pg.ClientConfig) => pg.Client

/**
 * True if the server answers a new connection and a statement on it. The connections in the pool are not used, because
 * they may be waiting for answers that never come.
 */
const answers = async (pool: pg.Pool): Promise<boolean> => {
  const { Client, options } = pool as unknown as { readonly Client?: Client; readonly options?: pg.PoolConfig }
  // The application's pool does not reveal how it connects, so its next request serves as the probe.
  if (Client === undefined || options === undefined) return true
  const limits = { connectionTimeoutMillis: PROBE_MS, query_timeout: PROBE_MS }
  // The password is copied explicitly, because a pool hides it when its options are copied.
  const client = new Client({ ...options, password: options.password, ...limits })
  client.on("error", () => undefined)
  try {
    await client.connect()
    await client.query("SELECT 1")
    return true
  } catch (cause) {
    return isAnswer(cause)
  } finally {
    client.connection.stream.destroy()
  }
}

/**
 * True if a failure comes from the server or its host. A timeout of the client itself has no code, or the code
 * ETIMEDOUT. A server whose TLS the client refused has answered.
 */
export const isAnswer = (cause: unknown): boolean => {
  const code = causeCode(cause)
  return isReported(cause) || tlsRefusal(cause) !== undefined || (code !== undefined && code !== "ETIMEDOUT")
}

/** Watches whether the server behind a pool is silent. */
export const watchServer = (pool: PgPool): Effect.Effect<SilenceWatch> =>
  Effect.map(Clock.Clock, (clock) => {
    const probe = Effect.promise(async () => {
      const asked = watch.ask()
      if (await answers(pool.clients)) asked.answered()
      asked.leave()
    })
    const watch: SilenceWatch = new SilenceWatch({
      dependency: "database",
      clock,
      probe,
      probeEveryMs: PROBE_EVERY_MS
    })
    return watch
  })
