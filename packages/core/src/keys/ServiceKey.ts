/** The rights of a service key. */
export const SERVICE_SCOPES = [
  "credits:read",
  "credits:hold",
  "credits:grant",
  "users:read",
  "users:write",
  "events:read",
  "chat:complete"
] as const
export type ServiceScope = (typeof SERVICE_SCOPES)[number]

/** `expired` and `revoked` keys are refused. */
export type ServiceKeyState = "active" | "expired" | "revoked"

/** A key with which a back end of the operator calls Parley, without its secret. Times are in Unix milliseconds. */
export interface ServiceKey {
  /** Stands in the key's text, in the source of its holds (`key:<id>`) and in the audit log. */
  readonly id: string
  /** The operator's name for it. */
  readonly name: string
  readonly scopes: ReadonlyArray<ServiceScope>
  readonly state: ServiceKeyState
  readonly createdAt: number
  /** Undefined if the key does not expire. */
  readonly expiresAt: number | undefined
  readonly revokedAt: number | undefined
  /** The end of the text that the last rotation replaced: it counts until then. Undefined if there was no rotation. */
  readonly previousUntil: number | undefined
  /** The last use, recorded at most once a minute; undefined if the key was never used. */
  readonly lastUsedAt: number | undefined
}

const PREFIX = "parley_sk_"
/** The number of random bytes in an id. */
export const ID_BYTES = 8
/** The number of random bytes in a secret. */
export const SECRET_BYTES = 32
const TEXT = new RegExp(`^${PREFIX}([0-9a-f]{${ID_BYTES * 2}})_[0-9a-f]{${SECRET_BYTES * 2}}$`)

/** The text of a key, which only its service has. */
export const serviceKeyText = (id: string, secret: string): string => `${PREFIX}${id}_${secret}`

/** The id in the text of a key; undefined if the text is not in the form of a key. Proves nothing. */
export const serviceKeyIdIn = (text: string): string | undefined => TEXT.exec(text)?.[1]
