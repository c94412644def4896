import { type SessionCookie, setSessionCookie } from "./cookies.ts"

/** The cookie with the secret of a browser that asked for a sign-in mail. */
export const SIGN_IN_COOKIE = { name: "parley_sign_in", isProviders: false } as const

/** The Set-Cookie header with the browser's secret. */
export const setSignInCookie = (session: SessionCookie, secret: string, maxAgeSeconds: number, path: string): string =>
  setSessionCookie({ ...session, ...SIGN_IN_COOKIE }, { token: secret, maxAgeSeconds, path })

/** The Set-Cookie header that removes it. */
export const clearSignInCookie = (session: SessionCookie, path: string): string => setSignInCookie(session, "", 0, path)
