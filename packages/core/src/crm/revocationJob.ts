import { Effect, Option, Redacted, Schema } from "effect"
import { jobKind } from "../jobs/JobKind.ts"
import { SecretUnreadable } from "../secrets/errors.ts"
import type { SecretBox, SecretContext } from "../secrets/SecretBox.ts"
import { CRM_PROVIDERS, type CrmProviderId, type RevokeInput } from "./CrmProvider.ts"

/**
 * Revokes access at a provider. The owner of each job is its own id: the job outlives the person, whom it does not
 * name, and removing all jobs of that owner deletes its tokens.
 */
export const RevokeCrmAccess = jobKind("RevokeCrmAccess", {
  payload: Schema.Struct({
    id: Schema.String,
    provider: Schema.Literals(CRM_PROVIDERS),
    /** The tokens, sealed for this id and provider. */
    sealed: Schema.String
  }),
  // Tries over about a day.
  tries: 32,
  retryDelayMs: { first: 30_000, longest: 3_600_000 },
  timeLimitMs: 60_000,
  twinKey: ({ id }) => id
})
export type RevocationPayload = typeof RevokeCrmAccess.payload.Type

const Tokens = Schema.fromJsonString(
  Schema.Struct({ accessToken: Schema.String, refreshToken: Schema.optionalKey(Schema.String) })
)
const encodeTokens = Schema.encodeEffect(Tokens)
const decodeTokens = Schema.decodeUnknownOption(Tokens)

const contextOf = (id: string, provider: CrmProviderId): SecretContext => ["crm-revocation", id, provider]

/** Makes the payload of a job that revokes these tokens. */
export const sealRevocation = Effect.fnUntraced(function* (
  box: SecretBox["Service"],
  id: string,
  provider: CrmProviderId,
  { accessToken, refreshToken }: RevokeInput
) {
  const content = yield* Effect.orDie(
    encodeTokens({
      accessToken: Redacted.value(accessToken),
      ...(refreshToken === undefined ? {} : { refreshToken: Redacted.value(refreshToken) })
    })
  )
  const { text } = yield* box.seal(contextOf(id, provider), Redacted.make(content))
  return { id, provider, sealed: text } satisfies RevocationPayload
})

/** Opens the tokens in the payload of a job. */
export const openRevocation = Effect.fnUntraced(function* (
  box: SecretBox["Service"],
  { id, provider, sealed }: RevocationPayload
): Effect.fn.Return<RevokeInput, SecretUnreadable> {
  const content = decodeTokens(Redacted.value(yield* box.open(contextOf(id, provider), sealed)))
  if (Option.isNone(content)) return yield* new SecretUnreadable({ problem: "content" })
  const { accessToken, refreshToken } = content.value
  return {
    accessToken: Redacted.make(accessToken),
    ...(refreshToken === undefined ? {} : { refreshToken: Redacted.make(refreshToken) })
  }
})
