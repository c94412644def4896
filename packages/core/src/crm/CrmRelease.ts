import { Context, Effect, Layer } from "effect"
import type { BotName } from "../bots/Bot.ts"
import { BotFarewell } from "../bots/BotFarewell.ts"
import type { UserId } from "../identity/UserId.ts"
import { SecretBox } from "../secrets/SecretBox.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import type { StoredCrmConnection } from "./CrmConnection.ts"
import { CrmConnectionStore } from "./CrmConnectionStore.ts"
import { type CrmProviderId, CrmProviders, type RevokeInput } from "./CrmProvider.ts"
import { openTokens } from "./tokenSecret.ts"

/** A provider that does not answer holds nobody up for longer. */
const REVOKE_WITHIN = "5 seconds"
const ALL_WITHIN = "20 seconds"
const AT_ONCE = 8

/** What became of the tokens at the provider. */
export type Revocation = "revoked" | "unsupported" | "failed"

/** Lets go of connections: they are removed here first, and then taken back at the provider, as far as it can be reached. */
export class CrmRelease extends Context.Service<
  CrmRelease,
  {
    /** Takes tokens back. Never fails, and takes a bounded time. */
    revoke(provider: CrmProviderId, tokens: RevokeInput): Effect.Effect<Revocation>
    /** The same for what is kept of a connection. */
    revokeConnection(connection: StoredCrmConnection): Effect.Effect<Revocation>
    /** Removes a bot's connections; what it gives takes them back, once the unit of work is done. */
    ofBot(bot: BotName): Effect.Effect<Effect.Effect<void>, StorageFailed>
    /** The same for all connections of a person. */
    ofPerson(owner: UserId): Effect.Effect<Effect.Effect<void>, StorageFailed>
  }
>()("@parley/core/crm/CrmRelease") {
  static readonly layer = Layer.effect(
    CrmRelease,
    Effect.suspend(() => make)
  )

  /** Deleting a bot lets go of its connections. */
  static readonly farewellLayer = Layer.effect(
    BotFarewell,
    Effect.map(CrmRelease, ({ ofBot }) => ({ leaving: ofBot }))
  )
}

const make = Effect.gen(function* () {
  const box = yield* SecretBox
  const connections = yield* CrmConnectionStore
  const providers = yield* CrmProviders

  const notRevoked = (provider: CrmProviderId, error: string) =>
    Effect.as(
      Effect.annotateLogs(Effect.logWarning("The tokens of a CRM connection were not taken back at its provider."), {
        provider,
        error
      }),
      "failed" as const
    )

  const revoke = Effect.fnUntraced(function* (id: CrmProviderId, tokens: RevokeInput) {
    const provider = providers.get(id)
    if (provider === undefined) return yield* notRevoked(id, "crm_not_configured")
    return yield* provider.revoke(tokens).pipe(
      Effect.catch(({ code }) => notRevoked(id, code)),
      Effect.timeoutOrElse({ duration: REVOKE_WITHIN, orElse: () => notRevoked(id, "timeout") })
    )
  })

  const revokeConnection = (connection: StoredCrmConnection) =>
    openTokens(box, connection).pipe(
      Effect.flatMap(({ accessToken, refreshToken }) =>
        revoke(connection.provider, { accessToken, ...(refreshToken === undefined ? {} : { refreshToken }) })
      ),
      Effect.catchTag("SecretUnreadable", ({ code }) => notRevoked(connection.provider, code))
    )

  const removed = (found: ReadonlyArray<StoredCrmConnection>): Effect.Effect<void> =>
    Effect.forEach(found, revokeConnection, { concurrency: AT_ONCE, discard: true }).pipe(
      Effect.timeoutOrElse({ duration: ALL_WITHIN, orElse: () => Effect.void })
    )

  return CrmRelease.of({
    revoke,
    revokeConnection,
    ofBot: ({ botId, owner }) => Effect.map(connections.remove({ owner, botId }), removed),
    ofPerson: (owner) => Effect.map(connections.remove({ owner }), removed)
  })
})
