import type { ParleyConfig } from "../readConfig.ts"

/** True if people sign in by e-mail: a mail server is set and no identity provider. */
export const usesOwnSignIn = ({ session }: Pick<ParleyConfig, "session">): boolean => session.proof?._tag === "Own"

/**
 * The reasons to refuse this configuration if people sign in by e-mail.
 *
 * @param exposed the reason why clients beyond this machine could reach the server; undefined if they cannot
 */
export const ownSignInRefusals = (config: ParleyConfig, exposed: string | undefined): ReadonlyArray<string> => {
  const { baseUrl, database, mail, production, session } = config
  const refusals: Array<string> = []
  if (exposed !== undefined && mail?._tag === "Log") {
    refusals.push(
      `PARLEY_SMTP_URL: ${exposed}, and log: prints the codes of all sign-ins into the log. Set it to your mail server`
    )
  }
  if (session.proof?._tag !== "Own" || exposed === undefined) return refusals
  if (baseUrl === undefined) {
    refusals.push(
      `PARLEY_BASE_URL: ${exposed}, and the mails of sign-ins lead to it. Set it to the address that people use`
    )
  } else if (production && !baseUrl.startsWith("https:")) {
    refusals.push(
      "PARLEY_BASE_URL: NODE_ENV is production, and over http anybody on the way could take over a sign-in. Set it to an address that begins with https://"
    )
  }
  if (database._tag === "Server" && session.proof.secrets.length === 0) {
    refusals.push(
      'PARLEY_SESSION_SECRET: several servers may share the database in DATABASE_URL, and all must sign sessions alike. Set it to 32 random bytes, for example what "openssl rand -base64 32" prints'
    )
  }
  return refusals
}
