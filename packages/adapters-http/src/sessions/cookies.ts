import { stringifySetCookie } from "cookie"
import type { SessionPreset } from "./sessionSettings.ts"

export const DEFAULT_SESSION_COOKIE = "parley_session"
const HOST_PREFIX = "__Host-"

/**
 * The name of the session cookie, whether the site uses https, and whether the identity provider's own library sets the
 * cookie.
 */
export interface SessionCookie {
  readonly name: string
  readonly secure: boolean
  readonly isProviders: boolean
}

/**
 * The session cookie under a server's configuration. Under the default name the cookie is Parley's own, even with a
 * preset.
 */
export const sessionCookieOf = (options: {
  readonly sessionCookie?: string | undefined
  readonly sessionPreset?: SessionPreset | undefined
  readonly baseUrl?: string | undefined
}): SessionCookie => ({
  name: options.sessionCookie ?? DEFAULT_SESSION_COOKIE,
  secure: URL.parse(options.baseUrl ?? "")?.protocol === "https:",
  isProviders:
    options.sessionPreset !== undefined && (options.sessionCookie ?? DEFAULT_SESSION_COOKIE) !== DEFAULT_SESSION_COOKIE
})

/**
 * The only name under which the cookie is read: over https with `__Host-`, so that no sibling domain and no http page
 * can set it. The library of an identity provider chooses the name itself.
 */
export const cookieNameOf = ({ isProviders, name, secure }: SessionCookie): string =>
  secure && !isProviders && !name.startsWith(HOST_PREFIX) ? `${HOST_PREFIX}${name}` : name

/** The name under which the session cookie is read with a server's configuration. */
export const sessionCookieName = (options: Parameters<typeof sessionCookieOf>[0]): string =>
  cookieNameOf(sessionCookieOf(options))

/** A new session for a browser. */
export interface NewSession {
  readonly token: string
  readonly maxAgeSeconds: number
  /** The path under which people see the routes; empty for the root. */
  readonly path: string
}

/** The allowed characters of a cookie's path. */
const COOKIE_PATH = /^(?:\/[\w.~!$&'()*+,=:@%-]+)+$/

/**
 * The Set-Cookie header that signs a person in. The cookie is limited to the routes' path, unless its name requires the
 * root.
 */
export const setSessionCookie = (cookie: SessionCookie, { maxAgeSeconds, path, token }: NewSession): string => {
  const name = cookieNameOf(cookie)
  return stringifySetCookie({
    name,
    value: token,
    httpOnly: true,
    sameSite: "lax",
    path: !cookie.isProviders && !name.startsWith(HOST_PREFIX) && COOKIE_PATH.test(path) ? path : "/",
    secure: cookie.secure,
    maxAge: maxAgeSeconds
  })
}

/** The Set-Cookie header that signs a person out. */
export const clearSessionCookie = (cookie: SessionCookie, path: string): string =>
  setSessionCookie(cookie, { token: "", maxAgeSeconds: 0, path })

/** The Set-Cookie headers that sign a person out: each cookie that carried a part of the session is cleared. */
export const clearSessionCookies = (
  cookie: SessionCookie,
  path: string,
  names: ReadonlyArray<string>
): ReadonlyArray<string> =>
  names.length === 0
    ? [clearSessionCookie(cookie, path)]
    : names.map((name) => clearSessionCookie({ ...cookie, name }, path))

export interface CookiePair {
  readonly name: string
  readonly value: string
}

/** The form of a cookie's name (a token of RFC 9110, 5.6.2), directly before the `=`. No browser sends another form. */
const NAME = /^[\w!#$%&'*+.^`|~-]+$/
/** The form of a cookie's value: visible ASCII except `"`, `,`, `;` and `\`, optionally in quotes (RFC 6265, 4.1.1). */
const VALUE = /^(?:"[!#-+\--:<-[\]-~]*"|[!#-+\--:<-[\]-~]*)$/

/**
 * Removes spaces and tabs around a text, and nothing else. `String.trim` would also remove U+00A0, which a browser
 * sends as part of a cookie's name: a cookie that a sibling domain set could then pass as one that only this server can
 * set.
 */
const withoutBlanks = (text: string): string => {
  let start = 0
  let end = text.length
  while (text[start] === " " || text[start] === "\t") start++
  while (end > start && (text[end - 1] === " " || text[end - 1] === "\t")) end--
  return text.slice(start, end)
}

/** The name and value pairs of a Cookie header (RFC 6265, 4.2.1), in order. Invalid pairs are left out. */
export const cookiePairs = (header: string): ReadonlyArray<CookiePair> => {
  const pairs: Array<CookiePair> = []
  for (const part of header.split(";")) {
    const pair = withoutBlanks(part)
    const equals = pair.indexOf("=")
    const name = pair.slice(0, Math.max(0, equals))
    const value = pair.slice(equals + 1)
    if (!NAME.test(name) || !VALUE.test(value)) continue
    pairs.push({ name, value: value.startsWith('"') ? value.slice(1, -1) : value })
  }
  return pairs
}

/** The prefix of a session that Supabase's libraries store as JSON in base64url. */
const ENCODED = "base64-"
/**
 * Supabase's libraries split a long session into the cookies `name.0`, `name.1` and so on. Ten of them would exceed the
 * head that a server accepts, so one digit is enough.
 */
const CHUNK = /^\.\d$/

/**
 * A browser stores one cookie of a name for each path and domain, so no regular browser sends more candidates than
 * this.
 */
export const MOST_CANDIDATES = 4

/** The token in a cookie's value: the value itself, or the access token of an encoded session. */
const tokenIn = (value: string): string => {
  if (!value.startsWith(ENCODED)) return value
  try {
    const session: unknown = JSON.parse(Buffer.from(value.slice(ENCODED.length), "base64url").toString())
    const token = (session as { readonly access_token?: unknown } | null)?.access_token
    return typeof token === "string" ? token : value
  } catch {
    return value
  }
}

/** The values of each cookie that carries a session or a chunk of one, by the cookie's name. */
const sessionValues = (
  header: string | undefined,
  cookie: SessionCookie
): ReadonlyMap<string, ReadonlyArray<string>> => {
  const whole = cookieNameOf(cookie)
  const found = new Map<string, ReadonlyArray<string>>()
  for (const { name, value } of cookiePairs(header ?? "")) {
    const isPart = name === whole || (name.startsWith(whole) && CHUNK.test(name.slice(whole.length)))
    if (isPart && value !== "") found.set(name, [...new Set([...(found.get(name) ?? []), value])])
  }
  return found
}

/** The names of the cookies in a Cookie header that carry a session or a chunk of one. */
export const sessionCookieNames = (header: string | undefined, cookie: SessionCookie): ReadonlyArray<string> => [
  ...sessionValues(header, cookie).keys()
]

/** The tokens in a Cookie header that may prove a session, each once, in the header's order. */
export const candidateTokens = (header: string | undefined, cookie: SessionCookie): ReadonlyArray<string> => {
  const values = sessionValues(header, cookie)
  const whole = cookieNameOf(cookie)
  // The sessions that can be joined from chunks: one value of each chunk, in order. One more than the limit is enough
  // to detect an excess.
  let joined = values.has(`${whole}.0`) ? [""] : []
  for (let index = 0; values.has(`${whole}.${index}`); index++) {
    const tails = values.get(`${whole}.${index}`) ?? []
    joined = joined.flatMap((head) => tails.map((tail) => `${head}${tail}`)).slice(0, MOST_CANDIDATES + 1)
  }
  return [...new Set([...(values.get(whole) ?? []), ...joined].map(tokenIn))]
}
