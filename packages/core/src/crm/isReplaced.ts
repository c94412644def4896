import { Redacted } from "effect"
import type { StoredCrmConnection } from "./CrmConnection.ts"
import type { CrmAccount, CrmProvider, RevokeInput } from "./CrmProvider.ts"
import type { OpenTokens } from "./tokenSecret.ts"

interface Replacement {
  readonly former: Pick<StoredCrmConnection, "account">
  readonly replaced: Pick<OpenTokens, "accessToken" | "refreshToken">
  readonly account: CrmAccount
  readonly tokens: RevokeInput | Pick<OpenTokens, "accessToken" | "refreshToken">
}

const secretsOf = ({ accessToken, refreshToken }: Replacement["tokens"]): ReadonlyArray<string> =>
  [accessToken, refreshToken].flatMap((token) => (token === undefined ? [] : [Redacted.value(token)]))

/**
 * True if the earlier access of a connection can be revoked without ending the new one: they share no token, and
 * either the provider distinguishes approvals, or the accounts differ. Several providers treat the approvals of one
 * account as one.
 */
export const isReplaced = (provider: CrmProvider, { account, former, replaced, tokens }: Replacement): boolean => {
  const kept = new Set(secretsOf(tokens))
  if (secretsOf(replaced).some((secret) => kept.has(secret))) return false
  if (provider.revokesApprovalAlone === true) return true
  return account.id !== undefined && former.account.id !== undefined && account.id !== former.account.id
}
