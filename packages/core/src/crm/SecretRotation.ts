import { Context, Effect, Layer } from "effect"
import { SecretsNotConfigured } from "../secrets/errors.ts"
import { SecurityEvents } from "../security/SecurityEvents.ts"
import { SecretBox } from "../secrets/SecretBox.ts"
import type { Cursor } from "../storage/Cursor.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { type StoredCrmConnection, SealedConnections, type SealedCount } from "./CrmConnectionStore.ts"
import { resealTokens } from "./tokenSecret.ts"

const BATCH = 100

/** The result of a rotation, or of a dry run. */
export interface RotationReport {
  /** The id of the key that seals. */
  readonly key: string
  /** Re-encrypted connections; without `apply`, those that would be. */
  readonly resealed: number
  /** Sealed with a key that this process does not have, or changed by hand: they stay as they are. */
  readonly unreadable: number
  /** The current number of connections, by sealing key. */
  readonly keys: ReadonlyArray<SealedCount>
}

export interface RotateInput {
  /** Without it nothing is changed. */
  readonly apply: boolean
  /** Runs before the first change, if there is a sealing key: records the beginning. */
  readonly onBegin?: Effect.Effect<void, StorageFailed>
}

/** Re-encrypts stored tokens after a change of the sealing key. */
export class SecretRotation extends Context.Service<
  SecretRotation,
  {
    /**
     * Re-encrypts all tokens that another key sealed, in batches. The stored key ids show the remaining work, so an
     * interrupted run can simply be repeated. It may run beside servers and beside another run; connections that change
     * meanwhile are left as they are.
     */
    rotate(input: RotateInput): Effect.Effect<RotationReport, SecretsNotConfigured | StorageFailed>
  }
>()("@parley/core/crm/SecretRotation") {
  static readonly layer = Layer.effect(
    SecretRotation,
    Effect.gen(function* () {
      const box = yield* SecretBox
      const security = yield* SecurityEvents
      const store = yield* SealedConnections

      /** Re-encrypts one; an unreadable one is left. */
      const renew = Effect.fnUntraced(function* (connection: StoredCrmConnection, apply: boolean) {
        const sealed = yield* Effect.catchTag(resealTokens(box, connection), "SecretUnreadable", () => Effect.undefined)
        if (sealed === undefined) return "unreadable" as const
        return !apply || (yield* store.reseal(connection, sealed)) ? ("resealed" as const) : ("replaced" as const)
      })

      return SecretRotation.of({
        rotate: Effect.fn("SecretRotation.rotate")(function* ({ apply, onBegin = Effect.void }) {
          const key = box.sealsWith
          if (key === undefined) return yield* new SecretsNotConfigured()
          if (apply) yield* onBegin
          const counts = { resealed: 0, unreadable: 0, replaced: 0 }
          let after: Cursor | undefined
          do {
            const { next, rows } = yield* store.list({ notBy: key, after, limit: BATCH })
            for (const connection of rows) counts[yield* renew(connection, apply)] += 1
            after = next
          } while (after !== undefined)
          if (apply) yield* security.record({ event: "secrets_rotated" })
          const { resealed, unreadable } = counts
          return { key, resealed, unreadable, keys: yield* store.counts }
        })
      })
    })
  )
}
