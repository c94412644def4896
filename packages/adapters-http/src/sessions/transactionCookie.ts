import { stringifySetCookie } from "cookie"
import type { CookiePair } from "./cookies.ts"

/** The path of transaction cookies: over https the root, because `__Host-` requires it; otherwise one path. */
export interface TransactionCookies {
  readonly secure: boolean
  /** The path under which people see the routes; empty for the root. */
  readonly path: string
}

const PREFIX = "parley_crm_"

/**
 * The most open transactions of a browser, including the new one: each cookie has about 500 bytes, and servers refuse
 * requests with too large headers.
 */
const MOST = 6

const prefixOf = ({ secure }: TransactionCookies): string => (secure ? `__Host-${PREFIX}` : PREFIX)

const setCookie = (cookies: TransactionCookies, name: string, value: string, maxAgeSeconds: number): string =>
  stringifySetCookie({
    name,
    value,
    httpOnly: true,
    // The provider sends the browser back from its own site: a strict cookie would not come along.
    sameSite: "lax",
    path: cookies.secure ? "/" : `${cookies.path}/api/crm`,
    secure: cookies.secure,
    maxAge: maxAgeSeconds
  })

/** The browser's cookie of a transaction; undefined if there is none. */
export const keptOf =
  (cookies: TransactionCookies, sent: ReadonlyArray<CookiePair>) =>
  (id: string): string | undefined =>
    sent.find(({ name }) => name === `${prefixOf(cookies)}${id}`)?.value

export interface NewTransaction {
  readonly id: string
  readonly sealed: string
  readonly maxAgeSeconds: number
}

/**
 * The Set-Cookie headers that begin a transaction beside the open ones, each in a cookie of its own. If there are too
 * many, the oldest are removed, which browsers send first (RFC 6265, 5.4).
 */
export const beginTransaction = (
  cookies: TransactionCookies,
  sent: ReadonlyArray<CookiePair>,
  { id, maxAgeSeconds, sealed }: NewTransaction
): ReadonlyArray<string> => {
  const prefix = prefixOf(cookies)
  const open = [...new Set(sent.map(({ name }) => name).filter((name) => name.startsWith(prefix)))]
  const over = open.slice(0, Math.max(0, open.length + 1 - MOST))
  return [
    ...over.map((name) => setCookie(cookies, name, "", 0)),
    setCookie(cookies, `${prefix}${id}`, sealed, maxAgeSeconds)
  ]
}

/** The Set-Cookie header that ends a transaction. */
export const endTransaction = (cookies: TransactionCookies, id: string): string =>
  setCookie(cookies, `${prefixOf(cookies)}${id}`, "", 0)
