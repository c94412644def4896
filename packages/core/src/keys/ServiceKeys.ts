import { Clock, Context, Effect, Layer, Schema } from "effect"
import { ActionAsked, BY_AN_APPLICATION } from "../audit/ActionAsked.ts"
import { AuditLog } from "../audit/AuditLog.ts"
import { isMoment } from "../identity/isMoment.ts"
import { NO_PERSON } from "../identity/UserId.ts"
import { randomBytes } from "../secrets/randomBytes.ts"
import { sameBytes } from "../secrets/sameBytes.ts"
import { sha256OfText } from "../secrets/sha256.ts"
import { SecurityEvents } from "../security/SecurityEvents.ts"
import { Id, InvalidInput, inputsOf } from "../storage/inputs.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { UnitOfWork } from "../storage/UnitOfWork.ts"
import { ServiceKeyInactive, ServiceKeyInvalid, ServiceKeyNotFound } from "./errors.ts"
import {
  ID_BYTES,
  SECRET_BYTES,
  SERVICE_SCOPES,
  type ServiceKey,
  serviceKeyIdIn,
  serviceKeyText
} from "./ServiceKey.ts"
import { type FoundServiceKey, NOTE_USE_EVERY_MS, ServiceKeyStore } from "./ServiceKeyStore.ts"

/** Milliseconds for which the previous text of a key stays valid after a rotation. */
const OVERLAP_MS = 24 * 3_600_000

const NAME = "1 to 100 characters in one line"
const SCOPES = `one or more of ${SERVICE_SCOPES.join(", ")}`

/** The operator's name for a key: 1 to 100 characters in one line. */
export const ServiceKeyName = Schema.String.check(
  Schema.makeFilter((name: string) => /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,100}$/u.test(name) && name.trim() !== "", {
    expected: NAME
  })
)

/** A key to create. */
export const CreateServiceKey = Schema.Struct({
  name: ServiceKeyName,
  /** The rights of the key, one or more. */
  scopes: Schema.Array(Schema.Literals(SERVICE_SCOPES)).check(
    Schema.makeFilter((scopes: ReadonlyArray<string>) => scopes.length > 0, { expected: SCOPES })
  ),
  /** Unix milliseconds: a time in the future at which the key expires. Absent if it does not expire. */
  expiresAt: Schema.optional(Schema.Finite)
})
export type CreateServiceKey = typeof CreateServiceKey.Type

/** A key to rotate. */
export const RotateInput = Schema.Struct({
  id: Id,
  /**
   * True if the previous text of the key becomes invalid at once, for example because it leaked; otherwise it stays
   * valid for 24 hours.
   */
  endsNow: Schema.optional(Schema.Boolean)
})
export type RotateInput = typeof RotateInput.Type

/** A key with its text. The text is not stored and cannot be read again. */
export interface IssuedServiceKey extends ServiceKey {
  readonly key: string
}

const hexOf = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

const newText = Effect.fnUntraced(function* (id: string) {
  const key = serviceKeyText(id, hexOf(yield* randomBytes(SECRET_BYTES)))
  return { key, digest: yield* sha256OfText(key) }
})

const utf8 = new TextEncoder()

/** Returns true if the digest is one of the valid digests. Compares with all of them, each in constant time. */
const isOneOf = (digests: ReadonlyArray<string>, digest: string): boolean => {
  const given = utf8.encode(digest)
  return digests.map((each) => sameBytes(utf8.encode(each), given)).includes(true)
}

const publicKey = ({ digests: _digests, ...key }: FoundServiceKey): ServiceKey => key

/** Makes a function that records the use of a key in the background, at most once a minute for each key. */
const makeNoteUse = Effect.gen(function* () {
  const store = yield* ServiceKeyStore
  const scope = yield* Effect.scope
  const notedAt = new Map<string, number>()
  return Effect.fnUntraced(function* (id: string) {
    const now = yield* Clock.currentTimeMillis
    if (Math.abs(now - (notedAt.get(id) ?? -Infinity)) < NOTE_USE_EVERY_MS) return
    notedAt.set(id, now)
    yield* Effect.forkIn(Effect.ignore(store.noteUse(id)), scope)
  })
})

/**
 * The keys with which back ends of the operator call Parley. Every verification reads the stored key, so a revocation,
 * a rotation or a new key takes effect in all processes at once. Each change is recorded in the audit log, in the same
 * transaction.
 */
export class ServiceKeys extends Context.Service<
  ServiceKeys,
  {
    /** Creates a key. Only the returned value contains its text; the storage contains the SHA-256 of the text. */
    create(input: CreateServiceKey, asked?: ActionAsked): Effect.Effect<IssuedServiceKey, InvalidInput | StorageFailed>
    /** All keys, including expired and revoked ones, the newest first. */
    readonly list: Effect.Effect<ReadonlyArray<ServiceKey>, StorageFailed>
    /**
     * Gives a key a new text, which is valid at once; the id, the scopes and the holds stay. The previous text stays
     * valid for 24 hours, or becomes invalid at once with `endsNow`; a text before that one becomes invalid at once.
     */
    rotate(
      input: RotateInput,
      asked?: ActionAsked
    ): Effect.Effect<IssuedServiceKey, ServiceKeyNotFound | ServiceKeyInactive | StorageFailed>
    /** Ends a key with all its texts for good. Revoking the key again changes nothing. */
    revoke(id: string, asked?: ActionAsked): Effect.Effect<ServiceKey, ServiceKeyNotFound | StorageFailed>
    /** Returns the key that a text proves. Its use is recorded in the background, at most once a minute. */
    prove(text: string): Effect.Effect<ServiceKey, ServiceKeyInvalid | StorageFailed>
  }
>()("@parley/core/keys/ServiceKeys") {
  static readonly inputs = inputsOf<ServiceKeys["Service"]>()({
    create: [{ input: CreateServiceKey }, { asked: Schema.UndefinedOr(ActionAsked) }],
    list: [],
    rotate: [{ input: RotateInput }, { asked: Schema.UndefinedOr(ActionAsked) }],
    revoke: [{ id: Id }, { asked: Schema.UndefinedOr(ActionAsked) }]
  })
  static readonly layer = Layer.effect(
    ServiceKeys,
    Effect.suspend(() => make)
  )
}

const makeProve = Effect.gen(function* () {
  const store = yield* ServiceKeyStore
  const noteUse = yield* makeNoteUse
  return Effect.fn("ServiceKeys.prove")(function* (text: string) {
    const id = serviceKeyIdIn(text)
    if (id === undefined) return yield* new ServiceKeyInvalid({ problem: "malformed" })
    const [found, digest] = yield* Effect.all([store.find(id), sha256OfText(text)], { concurrency: 2 })
    if (found === undefined || !isOneOf(found.digests, digest)) {
      return yield* new ServiceKeyInvalid({ problem: "unknown" })
    }
    if (found.state !== "active") return yield* new ServiceKeyInvalid({ problem: found.state })
    yield* noteUse(id)
    return publicKey(found)
  })
})

const EVENTS = { create: "key_created", rotate: "key_rotated", revoke: "key_revoked" } as const

const make = Effect.gen(function* () {
  const audit = yield* AuditLog
  const security = yield* SecurityEvents
  const store = yield* ServiceKeyStore
  const unitOfWork = yield* UnitOfWork
  const prove = yield* makeProve

  const audited = <E>(
    action: keyof typeof EVENTS,
    { address, by, reason }: ActionAsked = BY_AN_APPLICATION,
    id: string,
    work: Effect.Effect<ServiceKey, E>
  ) => {
    const entryOf = ({ name, scopes }: ServiceKey) => ({
      action: `keys ${action}`,
      by,
      userId: undefined,
      reason,
      details: `${id} "${name}" ${scopes.join(" ")}`,
      address
    })
    const changing = unitOfWork.run(
      NO_PERSON,
      Effect.tap(work, (key) => audit.record(entryOf(key)))
    )
    return Effect.tap(changing, () => security.record({ event: EVENTS[action] }))
  }

  const rotated = Effect.fnUntraced(function* (id: string, digest: string, overlapMs: number) {
    const key = yield* store.rotate({ id, digest, overlapMs })
    if (key !== undefined) return key
    const found = yield* store.find(id)
    if (found === undefined) return yield* new ServiceKeyNotFound({ id })
    return yield* new ServiceKeyInactive({ id, state: found.state === "revoked" ? "revoked" : "expired" })
  })

  const revoked = Effect.fnUntraced(function* (id: string) {
    return (yield* store.revoke(id)) ?? (yield* new ServiceKeyNotFound({ id }))
  })

  return ServiceKeys.of({
    create: Effect.fn("ServiceKeys.create")(function* ({ expiresAt, name, scopes }, asked) {
      if (expiresAt !== undefined && !(isMoment(expiresAt) && expiresAt > (yield* Clock.currentTimeMillis))) {
        return yield* new InvalidInput({ field: "expiresAt", expected: "a time in the future" })
      }
      const id = hexOf(yield* randomBytes(ID_BYTES))
      const { digest, key } = yield* newText(id)
      const stored = store.insert({ id, name, scopes: [...new Set(scopes)], digest, expiresAt })
      return { ...(yield* audited("create", asked, id, stored)), key }
    }),
    list: store.list,
    rotate: Effect.fn("ServiceKeys.rotate")(function* ({ endsNow = false, id }, asked) {
      const { digest, key } = yield* newText(id)
      const changed = rotated(id, digest, endsNow ? 0 : OVERLAP_MS)
      return { ...(yield* audited("rotate", asked, id, changed)), key }
    }),
    revoke: Effect.fn("ServiceKeys.revoke")((id, asked) => audited("revoke", asked, id, revoked(id))),
    prove
  })
})
