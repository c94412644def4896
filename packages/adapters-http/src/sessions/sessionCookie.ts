import { stringifySetCookie } from "cookie"
import type { SessionPreset } from "./SessionPreset.ts"

export const DEFAULT_SESSION_COOKIE = "parley_session"
const HOST_PREFIX = "__Host-"

/** The cookie of sessions, whether the site uses https, and whether a provider's own library sets it. */
export interface SessionCookie {
  readonly name: string
  readonly secure: boolean
  readonly isProviders: boolean
}

/** Takes the server's configuration; returns the cookie. */
export const sessionCookieOf = (options: {
  readonly sessionCookie?: string | undefined
  readonly sessionPreset?: SessionPreset | undefined
  readonly baseUrl?: string | undefined
}): SessionCookie => ({
  name: options.sessionCookie ?? DEFAULT_SESSION_COOKIE,
  secure: URL.parse(options.baseUrl ?? "")?.protocol === "https:",
  isProviders: options.sessionPreset !== undefined
})

/**
 * The one name that counts: over https with `__Host-`, so that no sibling domain and no http page can set it. A provider's
 * own library chooses the name itself.
 */
export const cookieNameOf = ({ isProviders, name, secure }: SessionCookie): string =>
  secure && !isProviders && !name.startsWith(HOST_PREFIX) ? `${HOST_PREFIX}${name}` : name

/** A new session for a browser. */
export interface NewSession {
  readonly token: string
  readonly maxAgeSeconds: number
  /** The path under which people see the routes; empty for the root. */
  readonly path: string
}

/** The allowed characters of a cookie's path. */
const COOKIE_PATH = /^(?:\/[\w.~!$&'()*+,=:@%-]+)+$/

/** The Set-Cookie header that signs in. It is for the routes' path only, unless its name requires the root. */
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

/** The Set-Cookie header that signs out. */
export const clearSessionCookie = (cookie: SessionCookie, path: string): string =>
  setSessionCookie(cookie, { token: "", maxAgeSeconds: 0, path })

/** The Set-Cookie headers that sign out a browser, each cookie that carried a part of the session being cleared. */
export const clearSessionCookies = (
  cookie: SessionCookie,
  path: string,
  names: ReadonlyArray<string>
): ReadonlyArray<string> =>
  names.length === 0
    ? [clearSessionCookie(cookie, path)]
    : names.map((name) => clearSessionCookie({ ...cookie, name }, path))
