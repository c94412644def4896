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
  /** The id, which is part of the key's text, of the spender of its holds (`key:<id>`) and of the audit log. */
  readonly id: string
  /** The name that the operator gave the key. */
  readonly name: string
  readonly scopes: ReadonlyArray<ServiceScope>
  readonly state: ServiceKeyState
  readonly createdAt: number
  /** Undefined if the key does not expire. */
  readonly expiresAt: number | undefined
  readonly revokedAt: number | undefined
  /** The time until which the text before the last rotation is also valid. Undefined if there was no rotation. */
  readonly previousUntil: number | undefined
  /** The time of the last use, recorded at most once a minute; undefined if the key was never used. */
  readonly lastUsedAt: number | undefined
}

const PREFIX = "parley_sk_"
/** The number of random bytes in an id. */
export const ID_BYTES = 8
/** The number of random bytes in a secret. */
export const SECRET_BYTES = 32
const TEXT = new RegExp(`^${PREFIX}([0-9a-f]{${ID_BYTES * 2}})_[0-9a-f]{${SECRET_BYTES * 2}}$`)

/** Returns the text of a key, which only the service that uses it has. */
export const serviceKeyText = (id: string, secret: string): string => `${PREFIX}${id}_${secret}`

/** Returns the id in the text of a key; undefined if the text does not have the form of a key. Proves nothing. */
export const serviceKeyIdIn = (text: string): string | undefined => TEXT.exec(text)?.[1]
