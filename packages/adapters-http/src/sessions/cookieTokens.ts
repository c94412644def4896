import { cookiePairs } from "./cookiePairs.ts"
import { cookieNameOf, type SessionCookie } from "./sessionCookie.ts"

/** Supabase's libraries keep a session as JSON in base64url after this word. */
const ENCODED = "base64-"
/** And cut it into cookies named `name.0`, `name.1` and so on; ten hold more than a server takes of a head. */
const CHUNK = /^\.\d$/

/** A browser holds one cookie of a name for each path and domain: more candidates than this are no browser's. */
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

/**
 * The texts that can be joined from chunks: one of each, in order. One more than the limit is enough to detect an
 * excess.
 */
const joined = (chunks: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> =>
  chunks.reduce<ReadonlyArray<string>>(
    (heads, tails) => heads.flatMap((head) => tails.map((tail) => `${head}${tail}`)).slice(0, MOST_CANDIDATES + 1),
    chunks.length === 0 ? [] : [""]
  )

/** The values of each cookie that carries a session or a chunk of one, by its name. */
const sessionValues = (
  header: string | undefined,
  cookie: SessionCookie
): ReadonlyMap<string, ReadonlyArray<string>> => {
  const whole = cookieNameOf(cookie)
  const counts = (name: string) => name === whole || (name.startsWith(whole) && CHUNK.test(name.slice(whole.length)))
  const found = new Map<string, ReadonlyArray<string>>()
  for (const { name, value } of cookiePairs(header ?? "")) {
    if (counts(name) && value !== "") found.set(name, [...new Set([...(found.get(name) ?? []), value])])
  }
  return found
}

/** Takes the Cookie header; returns the names of the cookies that carry a session or a chunk of one. */
export const sessionCookieNames = (header: string | undefined, cookie: SessionCookie): ReadonlyArray<string> => [
  ...sessionValues(header, cookie).keys()
]

/** Takes the Cookie header; returns the tokens that may prove a session, each once, in the header's order. */
export const candidateTokens = (header: string | undefined, cookie: SessionCookie): ReadonlyArray<string> => {
  const values = sessionValues(header, cookie)
  const whole = cookieNameOf(cookie)
  const chunks: Array<ReadonlyArray<string>> = []
  for (let index = 0; values.has(`${whole}.${index}`); index++) chunks.push(values.get(`${whole}.${index}`) ?? [])
  return [...new Set([...(values.get(whole) ?? []), ...joined(chunks)].map(tokenIn))]
}
