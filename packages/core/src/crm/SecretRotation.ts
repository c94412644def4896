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
  /** The number of re-encrypted connections; without `apply`, of those that would be re-encrypted. */
  readonly resealed: number
  /**
   * The number of connections that stay unchanged because their tokens were sealed with a key that this process does
   * not have, or were changed by hand.
   */
  readonly unreadable: number
  /** The present number of connections for each sealing key. */
  readonly keys: ReadonlyArray<SealedCount>
}

export interface RotateInput {
  /** True: re-encrypts. False: only counts. */
  readonly apply: boolean
  /** Runs before the first change, if there is a sealing key, so that the caller can record the start. */
  readonly onBegin?: Effect.Effect<void, StorageFailed>
}

/** Re-encrypts stored tokens after a change of the sealing key. */
export class SecretRotation extends Context.Service<
  SecretRotation,
  {
    /**
     * Re-encrypts, in batches, all tokens that another key sealed. The stored key ids show the remaining work, so an
     * interrupted run can simply be repeated. May run beside servers and beside another run; connections that change
     * meanwhile are skipped.
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

      /** Re-encrypts the tokens of one connection; unreadable tokens are skipped. */
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
