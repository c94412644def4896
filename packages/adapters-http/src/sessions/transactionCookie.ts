import { stringifySetCookie } from "cookie"
import type { CookiePair } from "./cookiePairs.ts"

/** Where the cookies of transactions go: over https to the root, because `__Host-` asks for that; else below one path. */
export interface TransactionCookies {
  readonly secure: boolean
  /** The path under which people see the routes; empty for the root. */
  readonly path: string
}

const PREFIX = "parley_crm_"

/**
 * The most that a browser keeps at once, the new one included: each is some 500 bytes, and servers refuse the requests of
 * browsers whose headers are too large.
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

/** What a browser kept of a transaction; undefined where nothing. */
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
 * The Set-Cookie headers that begin a transaction beside those that are open, each in a cookie of its own. The oldest, which
 * browsers send first (RFC 6265, 5.4), make room where there are too many.
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
