import { Clock, Effect, Option, Redacted, Schema } from "effect"
import { SecretUnreadable } from "../secrets/errors.ts"
import type { SecretBox, SecretContext } from "../secrets/SecretBox.ts"
import type { CrmConnectionName, SealedTokens, StoredCrmConnection } from "./CrmConnectionStore.ts"
import type { CrmTokens } from "./CrmProvider.ts"

/** The tokens of one connection, decrypted. */
export interface OpenTokens {
  readonly accessToken: Redacted.Redacted<string>
  readonly refreshToken: Redacted.Redacted<string> | undefined
  readonly tokenType: string
}

const Content = Schema.fromJsonString(
  Schema.Struct({
    accessToken: Schema.String,
    refreshToken: Schema.optionalKey(Schema.String),
    tokenType: Schema.String,
    scope: Schema.optionalKey(Schema.String)
  })
)
const encodeContent = Schema.encodeEffect(Content)
const decodeContent = Schema.decodeUnknownOption(Content)

/** The context of sealed tokens: they can be opened only for their own owner, bot and provider. */
const contextOf = ({ botId, owner, provider }: CrmConnectionName): SecretContext => [
  "crm-tokens",
  owner,
  botId.toLowerCase(),
  provider
]

/** Seals the provider's tokens. If the response has no new refresh token, the `former` one is used. */
export const sealTokens = Effect.fnUntraced(function* (
  box: SecretBox["Service"],
  name: CrmConnectionName,
  tokens: CrmTokens,
  former?: Redacted.Redacted<string>
) {
  const { accessToken, expiresInSeconds, scope, tokenType } = tokens
  const refreshToken = tokens.refreshToken ?? former
  const content = yield* Effect.orDie(
    encodeContent({
      accessToken: Redacted.value(accessToken),
      tokenType,
      ...(refreshToken === undefined ? {} : { refreshToken: Redacted.value(refreshToken) }),
      ...(scope === undefined ? {} : { scope })
    })
  )
  const { keyId, text } = yield* box.seal(contextOf(name), Redacted.make(content))
  const now = yield* Clock.currentTimeMillis
  const lifeMs = expiresInSeconds === undefined ? undefined : Math.max(0, Math.round(expiresInSeconds * 1_000))
  const sealed: SealedTokens = {
    sealed: text,
    keyId,
    expiresAt: lifeMs === undefined || !Number.isSafeInteger(now + lifeMs) ? undefined : now + lifeMs,
    refreshable: refreshToken !== undefined
  }
  return sealed
})

/** Decrypts stored tokens. */
export const openTokens = Effect.fnUntraced(function* (
  box: SecretBox["Service"],
  connection: StoredCrmConnection
): Effect.fn.Return<OpenTokens, SecretUnreadable> {
  const content = decodeContent(Redacted.value(yield* box.open(contextOf(connection), connection.sealed)))
  if (Option.isNone(content)) return yield* new SecretUnreadable({ problem: "content" })
  const { accessToken, refreshToken, tokenType } = content.value
  return {
    accessToken: Redacted.make(accessToken),
    refreshToken: refreshToken === undefined ? undefined : Redacted.make(refreshToken),
    tokenType
  }
})

/** Re-encrypts unchanged tokens with the present key. */
export const resealTokens = (box: SecretBox["Service"], connection: StoredCrmConnection) =>
  Effect.flatMap(box.open(contextOf(connection), connection.sealed), (content) =>
    Effect.map(box.seal(contextOf(connection), content), ({ keyId, text }) => ({ sealed: text, keyId }))
  )
