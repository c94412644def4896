import { stringifySetCookie } from "cookie"
import { cookiePairs } from "./cookiePairs.ts"

export const DEFAULT_SESSION_COOKIE = "parley_session"
const HOST_PREFIX = "__Host-"

/** Which cookie carries sessions, and whether the site is served over https. */
export interface SessionCookie {
  readonly name: string
  readonly secure: boolean
}

/** Takes what a server is configured with; gives the cookie. */
export const sessionCookieOf = (options: {
  readonly sessionCookie?: string | undefined
  readonly baseUrl?: string | undefined
}): SessionCookie => ({
  name: options.sessionCookie ?? DEFAULT_SESSION_COOKIE,
  secure: URL.parse(options.baseUrl ?? "")?.protocol === "https:"
})

/** The one name that counts: over https with `__Host-`, so that no sibling domain and no http page can set it. */
export const cookieNameOf = ({ name, secure }: SessionCookie): string =>
  secure && !name.startsWith(HOST_PREFIX) ? `${HOST_PREFIX}${name}` : name

/** Takes the Cookie header; gives the tokens that may prove a session, each once, in the header's order. */
export const candidateTokens = (header: string | undefined, cookie: SessionCookie): ReadonlyArray<string> => {
  const counts = cookieNameOf(cookie)
  const tokens = cookiePairs(header ?? "").flatMap(({ name, value }) =>
    name === counts && value !== "" ? [value] : []
  )
  return [...new Set(tokens)]
}

/** A new session for a browser. */
export interface NewSession {
  readonly token: string
  readonly maxAgeSeconds: number
  /** The path under which people see the routes; empty for the root. */
  readonly path: string
}

/** What may stand as a path in a cookie. */
const COOKIE_PATH = /^(?:\/[\w.~!$&'()*+,=:@%-]+)+$/

/** The Set-Cookie header that signs in. It is for the routes' path alone, but where its name asks for the root. */
export const setSessionCookie = (cookie: SessionCookie, { maxAgeSeconds, path, token }: NewSession): string => {
  const name = cookieNameOf(cookie)
  return stringifySetCookie({
    name,
    value: token,
    httpOnly: true,
    sameSite: "lax",
    path: !name.startsWith(HOST_PREFIX) && COOKIE_PATH.test(path) ? path : "/",
    secure: cookie.secure,
    maxAge: maxAgeSeconds
  })
}

/** The Set-Cookie header that signs out. */
export const clearSessionCookie = (cookie: SessionCookie, path: string): string =>
  setSessionCookie(cookie, { token: "", maxAgeSeconds: 0, path })
