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

/** The Set-Cookie header that signs in with `token` for `maxAgeSeconds`. */
export const setSessionCookie = (cookie: SessionCookie, token: string, maxAgeSeconds: number): string =>
  stringifySetCookie({
    name: cookieNameOf(cookie),
    value: token,
    httpOnly: true,
    sameSite: "lax",
    path: "/",
    secure: cookie.secure,
    maxAge: maxAgeSeconds
  })

/** The Set-Cookie header that signs out. */
export const clearSessionCookie = (cookie: SessionCookie): string => setSessionCookie(cookie, "", 0)
