import { stringifySetCookie } from "cookie"
import type { CookiePair } from "./cookies.ts"

/**
 * The settings of the cookies that store CRM connections in progress. Over https their path is the root, because
 * `__Host-` requires it; otherwise it is the path of the CRM routes.
 */
export interface TransactionCookies {
  readonly secure: boolean
  /** The path under which people see the routes; empty for the root. */
  readonly path: string
}

const PREFIX = "parley_crm_"

/**
 * The largest number of CRM connections that a browser may have in progress, including the new one: each cookie has
 * about 500 bytes, and servers refuse requests with too large headers.
 */
const MOST = 6

const prefixOf = ({ secure }: TransactionCookies): string => (secure ? `__Host-${PREFIX}` : PREFIX)

const setCookie = (cookies: TransactionCookies, name: string, value: string, maxAgeSeconds: number): string =>
  stringifySetCookie({
    name,
    value,
    httpOnly: true,
    // The CRM provider sends the browser back from its own site, and a browser does not send strict cookies then.
    sameSite: "lax",
    path: cookies.secure ? "/" : `${cookies.path}/api/crm`,
    secure: cookies.secure,
    maxAge: maxAgeSeconds
  })

/**
 * Returns a function that finds the cookie of a CRM connection in progress by its id; undefined if the browser sent
 * none.
 */
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
 * The Set-Cookie headers that store a new CRM connection in its own cookie, beside those in progress. If there are too
 * many, the oldest ones are removed; browsers send the oldest cookies first (RFC 6265, 5.4).
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

/** The Set-Cookie header that removes the cookie of a CRM connection. */
export const endTransaction = (cookies: TransactionCookies, id: string): string =>
  setCookie(cookies, `${prefixOf(cookies)}${id}`, "", 0)
