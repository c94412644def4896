import { type SessionCookie, setSessionCookie } from "./cookies.ts"

/** The cookie with the secret of a browser that asked for a sign-in mail. */
export const SIGN_IN_COOKIE = { name: "parley_sign_in", isProviders: false } as const

/** The Set-Cookie header that stores the secret in the browser. */
export const setSignInCookie = (session: SessionCookie, secret: string, maxAgeSeconds: number, path: string): string =>
  setSessionCookie({ ...session, ...SIGN_IN_COOKIE }, { token: secret, maxAgeSeconds, path })

/** The Set-Cookie header that removes the secret from the browser. */
export const clearSignInCookie = (session: SessionCookie, path: string): string => setSignInCookie(session, "", 0, path)
