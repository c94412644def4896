import { UserId } from "@parley/core"
import { isMoment, OPERATOR_ROLES, type OperatorRole, type Session, SessionInvalid } from "@parley/core/adapter"
import { Schema } from "effect"
import type { JWTHeaderParameters, JWTPayload } from "jose"
import { type Claims, presetRules } from "./presets.ts"
import type { SessionPreset } from "./sessionSettings.ts"

/** The claims that a token must have, and the claims that describe its person. */
export interface ExpectedClaims {
  /** If set, tokens of another issuer (`iss`) are refused. */
  readonly issuer?: string | undefined
  /** If set, tokens for another audience (`aud`; `azp` in Clerk's tokens) are refused. */
  readonly audience?: string | undefined
  /** The provider, if it is one of these; its own rules for session tokens apply in addition. */
  readonly preset?: SessionPreset | undefined
  /**
   * Longest lifetime of a token in seconds, from `iat` to `exp`, or from now to `exp` if `iat` is missing; default 24
   * hours. A token with a longer lifetime is refused.
   */
  readonly maxAgeSeconds?: number | undefined
  /** The claim with the person's id; default `sub`. A dot leads into an object: `user.id`. */
  readonly userClaim?: string | undefined
  /** The claim with the person's e-mail address; default `email`, or the preset's claim. */
  readonly emailClaim?: string | undefined
  /** The claim with the person's name; default `name`, or the preset's claim. */
  readonly nameClaim?: string | undefined
  /**
   * The claim with the person's role as an operator, `owner` or `support`; default `parley_role`. Name only a claim
   * that people cannot change themselves.
   */
  readonly roleClaim?: string | undefined
}

/** The largest accepted difference between the clocks of a provider and of this server, in seconds. */
export const CLOCK_LEEWAY_SECONDS = 60
const MAX_AGE_SECONDS = 24 * 60 * 60
/** The longest name or e-mail address that is accepted (RFC 5321, 4.5.3.1). */
const LONGEST_TEXT = 320

/** A token whose signature was verified. */
export interface VerifiedToken {
  readonly header: JWTHeaderParameters
  readonly claims: JWTPayload
}

/** The header types of session tokens: a plain JWT, an access token (RFC 9068), an ID token. */
const TYPES = ["jwt", "at+jwt", "id_token+jwt"]
/**
 * Claims that state the kind of a token. Only the values in `SESSION_KINDS` mark a session; any other value refuses the
 * token.
 */
const STRICT_KINDS = ["typ", "token_type", "token_use"]
const SESSION_KINDS = ["access", "access_token", "at+jwt", "bearer", "id", "id_token", "jwt", "session"]
/** Claims that applications also use for other facts, so that only the words of `FOREIGN_KIND` refuse a token. */
const LOOSE_KINDS = ["type", "tokenType", "use", "purpose"]
const FOREIGN_KIND =
  /refresh|offline|reset|recover|verif|confirm|activat|invit|magic|logout|state|nonce|challenge|mfa|service|api.?key/i
const SERVICE_ROLES = ["anon", "service_role", "supabase_admin"]

const isOfType = (typ: unknown, type: string): boolean =>
  typeof typ === "string" && typ.toLowerCase().replace(/^application\//, "") === type

const isSessionKind = (kind: unknown): boolean =>
  kind === undefined || (typeof kind === "string" && SESSION_KINDS.includes(kind.toLowerCase()))

/**
 * True for the token of a program that acts for itself: its subject is the client (RFC 9068, 2.2), or Auth0 (`gty`) or
 * Entra (`idtyp`) marks it as such.
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
    // A security event about a person, such as a sign-out elsewhere (RFC 8417), is no session.
    facts["events"] !== undefined ||
    isOfProgram(facts) ||
    isForeignToPreset(facts)
  )
}

/** True if the lifetime of a token is longer than allowed, or if the token was issued in the future. */
const livesTooLong = ({ exp = Number.NaN, iat }: JWTPayload, now: number, maxAgeSeconds = MAX_AGE_SECONDS): boolean => {
  const nowSeconds = now / 1000
  if (iat !== undefined && !(iat <= nowSeconds + CLOCK_LEEWAY_SECONDS)) return true
  // If `iat` is missing, the leeway is subtracted, because a token with exactly the longest lifetime may come from a
  // clock that is ahead.
  return !(iat === undefined ? exp - nowSeconds - CLOCK_LEEWAY_SECONDS <= maxAgeSeconds : exp - iat <= maxAgeSeconds)
}

/** True if a token was issued for this application. */
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

/**
 * The object that contains a claim, and the claim's name in that object. A name that exists as a whole counts as it is,
 * even with dots or slashes.
 */
const placeOf = (claims: Claims, path: string): readonly [unknown, string] => {
  if (Object.hasOwn(claims, path)) return [claims, path]
  const names = path.split(".")
  return [names.slice(0, -1).reduce<unknown>(ownOf, claims), names.at(-1) ?? ""]
}

/**
 * The first of these claims that is a text without control characters and unpaired surrogates; undefined if there is
 * none.
 */
const textOf = (claims: Claims, paths: ReadonlyArray<string>): string | undefined => {
  for (const path of paths) {
    const text = ownOf(...placeOf(claims, path))
    if (typeof text === "string" && text.length <= LONGEST_TEXT && /^[^\p{Cc}\p{Cs}]+$/u.test(text)) return text
  }
  return undefined
}

/** True unless the provider states beside the address that it is not verified. */
const isVerified = (claims: Claims, path: string): boolean => {
  const [place] = placeOf(claims, path)
  return ownOf(place, "email_verified") !== false && ownOf(place, "emailVerified") !== false
}

/**
 * The role in a claim. Only the exact text of one of the two roles counts: a list of roles, or a role of another
 * service, does not.
 */
const roleOf = (claims: Claims, path: string): OperatorRole | undefined => {
  const named = ownOf(...placeOf(claims, path))
  return OPERATOR_ROLES.find((role) => role === named)
}

/**
 * The time at which the person signed in (`auth_time` of OpenID Connect Core, 2), otherwise the time at which the token
 * was issued. A time in the future is ignored: it may be in milliseconds, and would count as a recent sign-in for ever.
 */
const signedInAt = ({ auth_time: signedIn, iat }: Claims, now: number): number | undefined => {
  const seconds = signedIn ?? iat
  const isPast = typeof seconds === "number" && seconds * 1000 <= now + CLOCK_LEEWAY_SECONDS * 1000
  return isPast ? seconds * 1000 : undefined
}

export const isUserId = Schema.is(UserId)

/**
 * Returns the session that the claims of a verified token describe at `now` (Unix milliseconds). Throws
 * `SessionInvalid` if they describe none.
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
