import { Effect, type Layer } from "effect"
import { expect, it } from "vitest"
import { type NewServiceKey, ServiceKeyStore } from "../../keys/ServiceKeyStore.ts"
import { UnitOfWork } from "../../storage/UnitOfWork.ts"
import { suiteOn } from "../suiteOn.ts"

const DAY_MS = 86_400_000

const hexOf = (length: number) => crypto.randomUUID().replaceAll("-", "").repeat(2).slice(0, length)

const newKey = (changes: Partial<NewServiceKey> = {}): NewServiceKey => ({
  id: hexOf(16),
  name: "Rechnungen ä",
  scopes: ["credits:read", "credits:grant"],
  digest: hexOf(64),
  expiresAt: undefined,
  ...changes
})

/** Tests the guarantees of a `ServiceKeyStore`. `layer` is built once, for all tests. */
export const serviceKeyStoreContract = (
  name: string,
  layer: Layer.Layer<ServiceKeyStore | UnitOfWork, unknown>
): void =>
  suiteOn(`ServiceKeyStore: ${name}`, layer, (run) => {
    const insert = (key: NewServiceKey) => ServiceKeyStore.use((keys) => keys.insert(key))
    const find = (id: string) => ServiceKeyStore.use((keys) => keys.find(id))
    const rotate = (id: string, digest: string, overlapMs: number) =>
      ServiceKeyStore.use((keys) => keys.rotate({ id, digest, overlapMs }))
    const revoke = (id: string) => ServiceKeyStore.use((keys) => keys.revoke(id))
    const noteUse = (id: string) => ServiceKeyStore.use((keys) => keys.noteUse(id))

    it("finds a key by its id alone, with its digest, and lists the newest first", () =>
      run(
        Effect.gen(function* () {
          const [first, second] = [newKey(), newKey({ expiresAt: 4_000_000_000_000 })]
          const stored = yield* insert(first)
          const { digest, ...shown } = first
          expect(stored).toEqual({
            ...shown,
            state: "active",
            createdAt: expect.any(Number),
            revokedAt: undefined,
            previousUntil: undefined,
            lastUsedAt: undefined
          })
          expect(yield* find(first.id)).toEqual({ ...stored, digests: [digest] })
          expect(yield* find(hexOf(16))).toBeUndefined()
          const later = yield* insert(second)
          expect(later.expiresAt).toBe(4_000_000_000_000)
          const listed = yield* ServiceKeyStore.use((keys) => keys.list)
          expect(listed.filter(({ id }) => id === first.id || id === second.id)).toEqual([later, stored])
        })
      ))

    it("a rotation replaces the digest, which counts until the end of the overlap, and that of one rotation only", () =>
      run(
        Effect.gen(function* () {
          const { digest, id } = yield* Effect.tap(Effect.succeed(newKey()), insert)
          const [second, third, fourth] = [hexOf(64), hexOf(64), hexOf(64)]
          const rotated = yield* rotate(id, second, DAY_MS)
          expect(rotated?.previousUntil).toBeGreaterThan((rotated?.createdAt ?? Infinity) + DAY_MS - 1)
          expect((yield* find(id))?.digests).toEqual([second, digest])
          yield* rotate(id, third, DAY_MS)
          expect((yield* find(id))?.digests).toEqual([third, second])
          yield* rotate(id, fourth, 0)
          expect((yield* find(id))?.digests).toEqual([fourth])
        })
      ))

    it("an expired key is found as expired, and is not rotated", () =>
      run(
        Effect.gen(function* () {
          const key = newKey({ expiresAt: -1 })
          expect((yield* insert(key)).state).toBe("expired")
          const found = yield* find(key.id)
          expect(found?.state).toBe("expired")
          expect(yield* rotate(key.id, hexOf(64), DAY_MS)).toBeUndefined()
          expect(yield* find(key.id)).toEqual(found)
        })
      ))

    it("a revocation lasts, keeps its time, and ends rotations", () =>
      run(
        Effect.gen(function* () {
          const { id } = yield* Effect.tap(Effect.succeed(newKey()), insert)
          const revoked = yield* revoke(id)
          expect(revoked).toMatchObject({ state: "revoked", revokedAt: expect.any(Number) })
          expect(yield* revoke(id)).toEqual(revoked)
          expect(yield* rotate(id, hexOf(64), DAY_MS)).toBeUndefined()
          expect(yield* find(id)).toMatchObject({ ...revoked })
          expect(yield* revoke(hexOf(16))).toBeUndefined()
          expect(yield* rotate(hexOf(16), hexOf(64), DAY_MS)).toBeUndefined()
        })
      ))

    it("concurrent revocations and rotations of a key end with a revoked key", () =>
      run(
        Effect.gen(function* () {
          const { id } = yield* Effect.tap(Effect.succeed(newKey()), insert)
          const works = Array.from({ length: 8 }, (_, index) =>
            index % 2 === 0 ? rotate(id, hexOf(64), DAY_MS) : revoke(id)
          )
          yield* Effect.all(works, { concurrency: "unbounded" })
          expect((yield* find(id))?.state).toBe("revoked")
        })
      ))

    it("records the first of many uses in a minute", () =>
      run(
        Effect.gen(function* () {
          const { id } = yield* Effect.tap(Effect.succeed(newKey()), insert)
          yield* noteUse(id)
          const used = yield* find(id)
          expect(used?.lastUsedAt).toEqual(expect.any(Number))
          yield* Effect.all(
            Array.from({ length: 5 }, () => noteUse(id)),
            { concurrency: "unbounded" }
          )
          expect(yield* find(id)).toEqual(used)
          yield* noteUse(hexOf(16))
        })
      ))

    it("a change of a unit of work that fails is undone", () =>
      run(
        Effect.gen(function* () {
          const [kept, undone] = [newKey(), newKey()]
          yield* insert(kept)
          const work = Effect.all([insert(undone), revoke(kept.id), Effect.fail("no")])
          expect(yield* Effect.flip(UnitOfWork.use((unit) => unit.run("keys", work)))).toBe("no")
          expect(yield* find(undone.id)).toBeUndefined()
          expect((yield* find(kept.id))?.state).toBe("active")
        })
      ))
  })
