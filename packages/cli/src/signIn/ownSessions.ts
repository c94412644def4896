import { randomBytes } from "node:crypto"
import { makeOwnSessions, type OwnSessions } from "@parley/adapters-http/node"
import { Redacted } from "effect"
import type { ParleyConfig } from "../config/readConfig.ts"
import { openSecret } from "../secrets/generatedSecret.ts"

const AUDIENCE = "parley"
const SECRET_FILE = "session.key"

const secretIn = (text: string): string | undefined => text.trim() || undefined

/**
 * The sessions that this server issues, valid for its own address only. Without a configured secret they are signed
 * with the secret in the data folder, which the first server generates. If the folder is not writable, the sessions end
 * with the process.
 */
export const ownSessions = ({ baseUrl, dataFolder, session }: ParleyConfig): OwnSessions | undefined => {
  if (session.proof?._tag !== "Own") return undefined
  const [first, ...others] = session.proof.secrets.map(Redacted.value)
  const generated = () => openSecret(dataFolder, SECRET_FILE, secretIn) ?? randomBytes(32)
  return makeOwnSessions({
    secrets: first === undefined ? [generated()] : [first, ...others],
    issuer: baseUrl ?? "parley",
    audience: session.audience ?? AUDIENCE,
    lifetimeSeconds: session.maxAgeSeconds
  })
}
