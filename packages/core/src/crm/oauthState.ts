import { Clock, Effect, Option, Redacted, Schema } from "effect"
import { sha256 } from "../secrets/sha256.ts"
import type { UserId } from "../identity/UserId.ts"
import { toBase64Url } from "../secrets/base64Url.ts"
import { randomBytes } from "../secrets/randomBytes.ts"
import type { SecretBox, SecretContext } from "../secrets/SecretBox.ts"
import { CRM_PROVIDERS, type CrmProvider, type CrmProviderId } from "./CrmProvider.ts"

/** How long a person may take at the provider. */
export const STATE_MAX_AGE_SECONDS = 600

const RANDOM_BYTES = 32
const STATE = /^[A-Za-z0-9_-]{43}$/
const ID_CHARACTERS = 24

/** What a browser keeps of an authorization request, sealed, and only this server reads. */
const StateContent = Schema.fromJsonString(
  Schema.Struct({
    /** The SHA-256 of the user's id, so that its length says nothing and costs nothing. */
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

/** For what a browser keeps one transaction apart from another: the beginning of the state's digest. */
const idOf = (digest: string): string => digest.slice(0, ID_CHARACTERS)

const textDigest = (text: string) => sha256(new TextEncoder().encode(text))

/** A sealed state opens beside the state it was made for alone. */
const contextOf = (digest: string): SecretContext => ["crm-state", digest]

export interface BeginStateInput {
  readonly owner: UserId
  readonly provider: CrmProvider
  readonly botId: string
  readonly redirectUri: string
}

/** The state of an authorization request that begins. */
export interface BegunState {
  /** 256 random bits (RFC 6749, 10.12). */
  readonly state: string
  /** RFC 7636, 4.1; only where the provider takes one. */
  readonly codeVerifier: string | undefined
  readonly id: string
  readonly sealed: string
}

/** Begins an authorization request: what goes to the provider, and what the browser keeps. */
export const beginState = Effect.fnUntraced(function* (
  box: SecretBox["Service"],
  { botId, owner, provider, redirectUri }: BeginStateInput
) {
  const state = toBase64Url(yield* randomBytes(RANDOM_BYTES))
  const codeVerifier = provider.usesPkce ? toBase64Url(yield* randomBytes(RANDOM_BYTES)) : undefined
  const digest = yield* textDigest(state)
  const content = yield* Effect.orDie(
    encodeContent({
      user: yield* textDigest(owner),
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

/** What a state that came back says. */
export interface OpenState {
  readonly digest: string
  readonly botId: string
  readonly provider: CrmProviderId
  readonly redirectUri: string
  readonly codeVerifier: string | undefined
  readonly expiresAt: number
  /** Whether it is of the person who asks now. */
  readonly isOf: (userDigest: string) => boolean
}

/** The name under which a browser keeps what belongs to a state; undefined for what is no state. */
export const stateIdOf = (state: string | null | undefined): Effect.Effect<string | undefined> =>
  typeof state === "string" && STATE.test(state) ? Effect.map(textDigest(state), idOf) : Effect.undefined

/**
 * Opens what the browser kept beside the state that came back. Undefined for a state that this browser was not given, or
 * that was changed.
 */
export const openState = Effect.fnUntraced(function* (
  box: SecretBox["Service"],
  state: string,
  kept: (id: string) => string | undefined
) {
  if (!STATE.test(state)) return undefined
  const digest = yield* textDigest(state)
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
 * Whether a callback answers the request that a state was made for: by the same person, to the same provider, and from the
 * issuer that the provider is (RFC 9207). Nothing is used up by asking.
 */
export const isMatch = Effect.fnUntraced(function* (open: OpenState, { callback, owner, provider }: MatchInput) {
  const issuers = callback.getAll("iss")
  const isIssuer =
    provider.issuer === undefined ? issuers.length === 0 : issuers.length === 1 && issuers[0] === provider.issuer
  return isIssuer && open.provider === provider.id && open.isOf(yield* textDigest(owner))
})
