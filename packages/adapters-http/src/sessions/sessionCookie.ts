import { stringifySetCookie } from "cookie"

export const DEFAULT_SESSION_COOKIE = "parley_session"
const HOST_PREFIX = "__Host-"
/** More cookies of one name than this are not looked at. */
const MAX_CANDIDATES = 4

/** Which cookie carries sessions, and whether the site is served over https. */
export interface SessionCookie {
  readonly name: string
  readonly secure: boolean
}

/** The name under which the server itself sets the cookie: over https it cannot be planted by a sibling domain. */
const ownName = ({ name, secure }: SessionCookie): string =>
  secure && !name.startsWith(HOST_PREFIX) ? `${HOST_PREFIX}${name}` : name

/**
 * Takes the Cookie header; gives the tokens that may prove a session, best first. Over https a `__Host-` cookie is the
 * only candidate where there is one; the plain name is read too, because identity providers choose their own names.
 */
export const candidateTokens = (header: string | undefined, cookie: SessionCookie): ReadonlyArray<string> => {
  const pairs = (header ?? "").split(";").flatMap((pair) => {
    const equals = pair.indexOf("=")
    return equals < 0 ? [] : [[pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()] as const]
  })
  const valuesOf = (name: string) =>
    pairs.filter(([key, value]) => key === name && value !== "").map(([, value]) => unquoted(value))
  const own = valuesOf(ownName(cookie))
  const found = own.length > 0 ? own : valuesOf(cookie.name)
  return found.slice(0, MAX_CANDIDATES)
}

const unquoted = (value: string): string =>
  value.length > 1 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value

/** The Set-Cookie header that signs in with `token` for `maxAgeSeconds`. */
export const setSessionCookie = (cookie: SessionCookie, token: string, maxAgeSeconds: number): string =>
  stringifySetCookie({
    name: ownName(cookie),
    value: token,
    httpOnly: true,
    sameSite: "lax",
    path: "/",
    secure: cookie.secure,
    maxAge: maxAgeSeconds
  })

/** The Set-Cookie header that signs out. */
export const clearSessionCookie = (cookie: SessionCookie): string => setSessionCookie(cookie, "", 0)
