import { SignOut } from "@parley/core/effect"
import { CLOCK_LEEWAY_SECONDS } from "../sessions/sessionClaims.ts"
import { sessionNameOf } from "../sessions/sessionTokens.ts"

/** A token counts until its expiry and the leeway of clocks; the storage's clock may differ by that, too. */
const REMEMBERED_LONGER_MS = 2 * CLOCK_LEEWAY_SECONDS * 1000

/** Has the token of a session refused from now on. */
export const endSession = ({ expiresAt, token }: { readonly expiresAt: number; readonly token: string }) =>
  SignOut.use(({ signOut }) => signOut({ token: sessionNameOf(token), expiresAt: expiresAt + REMEMBERED_LONGER_MS }))
