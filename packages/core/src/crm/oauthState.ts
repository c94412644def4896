import { Clock, Effect, Option, Redacted, Schema } from "effect"
import { sha256OfText } from "../secrets/sha256.ts"
import type { UserId } from "../identity/UserId.ts"
import { toBase64Url } from "../secrets/base64Url.ts"
import { randomBytes } from "../secrets/randomBytes.ts"
import type { SecretBox, SecretContext } from "../secrets/SecretBox.ts"
import { CRM_PROVIDERS, type CrmProvider, type CrmProviderId } from "./CrmProvider.ts"

/** The time limit for the person's decision at the provider, in seconds. */
export const STATE_MAX_AGE_SECONDS = 600

const RANDOM_BYTES = 32
const STATE = /^[A-Za-z0-9_-]{43}$/
const ID_CHARACTERS = 24

/** The browser's sealed copy of an authorization request, which only this server can read. */
const StateContent = Schema.fromJsonString(
  Schema.Struct({
    /** The SHA-256 of the user's id; a digest has the same length for all ids. */
    user: Schema.String,
    provider: Schema.Literals(CRM_PROVIDERS),
    botId: Schema.String,
    redirectUri: Schema.String,
    codeVerifier: Schema.optionalKey(Schema.String),
    /** Unix milliseconds. */
    expiresAt: Schema.Finite
  })
)
const encodeContent = Schema.encodeEffect(StateContent)
const decodeContent = Schema.decodeUnknownOption(StateContent)

/** The name that distinguishes several authorization requests of one browser: the beginning of the state's digest. */
const idOf = (digest: string): string => digest.slice(0, ID_CHARACTERS)

/** The context of a sealed state: it can be opened only together with the state for which it was made. */
const contextOf = (digest: string): SecretContext => ["crm-state", digest]

export interface BeginStateInput {
  readonly owner: UserId
  readonly provider: CrmProvider
  readonly botId: string
  readonly redirectUri: string
}

/** The state of a new authorization request. */
export interface BegunState {
  /** 256 random bits (RFC 6749, 10.12). */
  readonly state: string
  /** RFC 7636, 4.1; only if the provider supports PKCE. */
  readonly codeVerifier: string | undefined
  readonly id: string
  readonly sealed: string
}

/** Starts an authorization request: makes the state for the provider, and the sealed copy for the browser. */
export const beginState = Effect.fnUntraced(function* (
  box: SecretBox["Service"],
  { botId, owner, provider, redirectUri }: BeginStateInput
) {
  const state = toBase64Url(yield* randomBytes(RANDOM_BYTES))
  const codeVerifier = provider.usesPkce ? toBase64Url(yield* randomBytes(RANDOM_BYTES)) : undefined
  const digest = yield* sha256OfText(state)
  const content = yield* Effect.orDie(
    encodeContent({
      user: yield* sha256OfText(owner),
      provider: provider.id,
      botId,
      redirectUri,
      ...(codeVerifier === undefined ? {} : { codeVerifier }),
      expiresAt: (yield* Clock.currentTimeMillis) + STATE_MAX_AGE_SECONDS * 1_000
    })
  )
  const { text } = yield* box.seal(contextOf(digest), Redacted.make(content))
  const begun: BegunState = { state, codeVerifier, id: idOf(digest), sealed: text }
  return begun
})

/** The content of a state that was returned. */
export interface OpenState {
  readonly digest: string
  readonly botId: string
  readonly provider: CrmProviderId
  readonly redirectUri: string
  readonly codeVerifier: string | undefined
  readonly expiresAt: number
  /** Returns true if the state belongs to the person of this request. */
  readonly isOf: (userDigest: string) => boolean
}

/** The name under which a browser stores a state; undefined for an invalid state. */
export const stateIdOf = (state: string | null | undefined): Effect.Effect<string | undefined> =>
  typeof state === "string" && STATE.test(state) ? Effect.map(sha256OfText(state), idOf) : Effect.undefined

/**
 * Opens the browser's copy of the returned state. Returns undefined if this browser does not have the state, or if the
 * copy was changed.
 */
export const openState = Effect.fnUntraced(function* (
  box: SecretBox["Service"],
  state: string,
  kept: (id: string) => string | undefined
) {
  if (!STATE.test(state)) return undefined
  const digest = yield* sha256OfText(state)
  const sealed = kept(idOf(digest))
  if (sealed === undefined) return undefined
  const opened = yield* Effect.option(box.open(contextOf(digest), sealed))
  const content = Option.flatMap(opened, (secret) => decodeContent(Redacted.value(secret)))
  if (Option.isNone(content)) return undefined
  const { botId, codeVerifier, expiresAt, provider, redirectUri, user } = content.value
  const isOf = (userDigest: string) => userDigest === user
  const open: OpenState = { digest, botId, provider, redirectUri, codeVerifier, expiresAt, isOf }
  return open
})

export interface MatchInput {
  readonly owner: UserId
  readonly provider: CrmProvider
  readonly callback: URLSearchParams
}

/**
 * Returns true if a callback matches its state: the same person, the same provider, and the provider's own issuer (RFC
 * 9207). The check does not use up the state.
 */
export const isMatch = Effect.fnUntraced(function* (open: OpenState, { callback, owner, provider }: MatchInput) {
  const issuers = callback.getAll("iss")
  const isIssuer =
    provider.issuer === undefined ? issuers.length === 0 : issuers.length === 1 && issuers[0] === provider.issuer
  return isIssuer && open.provider === provider.id && open.isOf(yield* sha256OfText(owner))
})
