import { SignOut } from "@parley/core/effect"
import { CLOCK_LEEWAY_SECONDS } from "../sessions/sessionClaims.ts"
import { sessionNameOf } from "../sessions/sessionTokens.ts"

/**
 * A token is accepted until its expiry plus the leeway for clocks; the storage's clock may differ by the same amount.
 */
const REMEMBERED_LONGER_MS = 2 * CLOCK_LEEWAY_SECONDS * 1000

/** Signs a session out: its token is refused from now on. */
export const endSession = ({ expiresAt, token }: { readonly expiresAt: number; readonly token: string }) =>
  SignOut.use(({ signOut }) => signOut({ token: sessionNameOf(token), expiresAt: expiresAt + REMEMBERED_LONGER_MS }))
