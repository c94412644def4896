import { UserId } from "@parley/core"
import { isMoment, OPERATOR_ROLES, type OperatorRole, type Session, SessionInvalid } from "@parley/core/adapter"
import { Schema } from "effect"
import type { JWTHeaderParameters, JWTPayload } from "jose"
import { type Claims, presetRules } from "./presets.ts"
import type { SessionPreset } from "./sessionSettings.ts"

/** The required claims of a token, and those that describe its person. */
export interface ExpectedClaims {
  /** If set, tokens of another issuer (`iss`) are refused. */
  readonly issuer?: string | undefined
  /** If set, tokens for another audience (`aud`, or `azp` of Clerk's) are refused. */
  readonly audience?: string | undefined
  /** The provider, if it is one of these: its own rules for session tokens count, too. */
  readonly preset?: SessionPreset | undefined
  /**
   * Longest lifetime of a token in seconds, from `iat` to `exp`, or from now on if it has no `iat`; default 24 hours.
   * A token with a longer one is refused.
   */
  readonly maxAgeSeconds?: number | undefined
  /** The claim with the person's id; default `sub`. Dots lead into objects: `user.id`. */
  readonly userClaim?: string | undefined
  /** The claim with the person's address; default `email`, or the preset's. */
  readonly emailClaim?: string | undefined
  /** The claim with the person's name; default `name`, or the preset's. */
  readonly nameClaim?: string | undefined
  /**
   * The claim with the person's role as an operator, `owner` or `support`; default `parley_role`. Name only a claim that
   * people cannot change themselves.
   */
  readonly roleClaim?: string | undefined
}

/** The most by which the clocks of a provider and of this server may differ, in seconds. */
export const CLOCK_LEEWAY_SECONDS = 60
const MAX_AGE_SECONDS = 24 * 60 * 60
/** Longer texts are neither names nor addresses (RFC 5321, 4.5.3.1). */
const LONGEST_TEXT = 320

/** A verified token. */
export interface VerifiedToken {
  readonly header: JWTHeaderParameters
  readonly claims: JWTPayload
}

/** Types of session tokens: an untyped JWT, an access token (RFC 9068), an ID token. */
const TYPES = ["jwt", "at+jwt", "id_token+jwt"]
/** The values by which providers mark access and ID tokens in these claims; every other value marks another token. */
const STRICT_KINDS = ["typ", "token_type", "token_use"]
const SESSION_KINDS = ["access", "access_token", "at+jwt", "bearer", "id", "id_token", "jwt", "session"]
/** Claims that applications use also for other facts: only these words mark another token. */
const LOOSE_KINDS = ["type", "tokenType", "use", "purpose"]
const FOREIGN_KIND =
  /refresh|offline|reset|recover|verif|confirm|activat|invit|magic|logout|state|nonce|challenge|mfa|service|api.?key/i
const SERVICE_ROLES = ["anon", "service_role", "supabase_admin"]

const isOfType = (typ: unknown, type: string): boolean =>
  typeof typ === "string" && typ.toLowerCase().replace(/^application\//, "") === type

const isSessionKind = (kind: unknown): boolean =>
  kind === undefined || (typeof kind === "string" && SESSION_KINDS.includes(kind.toLowerCase()))

/**
 * True for tokens of a program that acts for itself: a client is its own subject (RFC 9068, 2.2), or Auth0 (`gty`) or
 * Entra (`idtyp`) says so.
 */
const isOfProgram = ({ azp, cid, client_id: client, gty, idtyp, sub }: Claims): boolean =>
  gty === "client-credentials" ||
  idtyp === "app" ||
  (typeof sub === "string" && (sub.endsWith("@clients") || [azp, cid, client].includes(sub)))

/** True for a token that its issuer signed for another purpose than a person's session. */
const isForeign = ({ claims, header }: VerifiedToken, preset: SessionPreset | undefined): boolean => {
  const { cookieType, isForeign: isForeignToPreset } = presetRules(preset)
  const types = cookieType === undefined ? TYPES : [...TYPES, cookieType]
  const facts: Claims = claims
  return (
    (header.typ !== undefined && !types.some((type) => isOfType(header.typ, type))) ||
    !STRICT_KINDS.every((name) => isSessionKind(facts[name])) ||
    LOOSE_KINDS.some((name) => typeof facts[name] === "string" && FOREIGN_KIND.test(facts[name])) ||
    SERVICE_ROLES.some((role) => facts["role"] === role) ||
    // A message about a person, such as the end of a session elsewhere (RFC 8417).
    facts["events"] !== undefined ||
    isOfProgram(facts) ||
    isForeignToPreset(facts)
  )
}

/** True if a token counts for longer than allowed, or was issued in the future. */
const livesTooLong = ({ exp = Number.NaN, iat }: JWTPayload, now: number, maxAgeSeconds = MAX_AGE_SECONDS): boolean => {
  const nowSeconds = now / 1000
  if (iat !== undefined && !(iat <= nowSeconds + CLOCK_LEEWAY_SECONDS)) return true
  // Without `iat` the leeway is for a token of exactly this age from a clock that is ahead.
  return !(iat === undefined ? exp - nowSeconds - CLOCK_LEEWAY_SECONDS <= maxAgeSeconds : exp - iat <= maxAgeSeconds)
}

/** True if a token is for the application. */
const isForAudience = (claims: Claims, audience: string, preset: SessionPreset | undefined): boolean => {
  const { audienceClaim, cookieAudience } = presetRules(preset)
  const named = claims[audienceClaim]
  if (audienceClaim === "azp") return named === audience
  return (Array.isArray(named) ? named : [named]).some(
    (each) => each === audience || each === (cookieAudience ?? audience)
  )
}

const isObject = (value: unknown): value is Claims => typeof value === "object" && value !== null

const ownOf = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined

/** The object of a claim, and the claim's name in it: names with dots and slashes count to the letter if they exist. */
const placeOf = (claims: Claims, path: string): readonly [unknown, string] => {
  if (Object.hasOwn(claims, path)) return [claims, path]
  const names = path.split(".")
  return [names.slice(0, -1).reduce<unknown>(ownOf, claims), names.at(-1) ?? ""]
}

/** A text of the person without control characters and half characters; undefined if the claim is none. */
const textOf = (claims: Claims, paths: ReadonlyArray<string>): string | undefined => {
  for (const path of paths) {
    const text = ownOf(...placeOf(claims, path))
    if (typeof text === "string" && text.length <= LONGEST_TEXT && /^[^\p{Cc}\p{Cs}]+$/u.test(text)) return text
  }
  return undefined
}

/** An address counts unless its provider says beside it that it is not verified. */
const isVerified = (claims: Claims, path: string): boolean => {
  const [place] = placeOf(claims, path)
  return ownOf(place, "email_verified") !== false && ownOf(place, "emailVerified") !== false
}

/** The role in a claim. Only one of the two words counts, as a text: no list of roles and no role of another service. */
const roleOf = (claims: Claims, path: string): OperatorRole | undefined => {
  const named = ownOf(...placeOf(claims, path))
  return OPERATOR_ROLES.find((role) => role === named)
}

/**
 * When the person signed in (OpenID Connect Core, 2: `auth_time`), otherwise when the token was issued. A time in the
 * future is no time: it may be one in milliseconds, which would be a fresh sign-in for ever.
 */
const signedInAt = ({ auth_time: signedIn, iat }: Claims, now: number): number | undefined => {
  const seconds = signedIn ?? iat
  const isPast = typeof seconds === "number" && seconds * 1000 <= now + CLOCK_LEEWAY_SECONDS * 1000
  return isPast ? seconds * 1000 : undefined
}

export const isUserId = Schema.is(UserId)

/**
 * The session that a verified token's claims describe at `now` (Unix milliseconds). Throws `SessionInvalid` if they
 * describe none.
 */
export const sessionFrom = (token: VerifiedToken, now: number, expected: ExpectedClaims): Session => {
  const { claims } = token
  const {
    audience,
    emailClaim,
    maxAgeSeconds,
    nameClaim,
    preset,
    roleClaim = "parley_role",
    userClaim = "sub"
  } = expected
  const userId = ownOf(...placeOf(claims, userClaim))
  const expiresAt = (claims.exp ?? Number.NaN) * 1000
  const isOfSession =
    isUserId(userId) &&
    isMoment(expiresAt) &&
    !livesTooLong(claims, now, maxAgeSeconds) &&
    !isForeign(token, preset) &&
    (audience === undefined || isForAudience(claims, audience, preset))
  if (!isOfSession) throw new SessionInvalid({ problem: "refused", ...(isUserId(userId) ? { userId } : {}) })
  const { emailClaims, nameClaims } = presetRules(preset)
  const emails = (emailClaim === undefined ? emailClaims : [emailClaim]).filter((path) => isVerified(claims, path))
  return {
    userId,
    email: textOf(claims, emails),
    name: textOf(claims, nameClaim === undefined ? nameClaims : [nameClaim]),
    role: roleOf(claims, roleClaim),
    expiresAt,
    issuedAt: claims.iat === undefined ? undefined : claims.iat * 1000,
    signedInAt: signedInAt(claims, now)
  }
}
