import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { Objects } from "../../documents/storing/FileStore.ts"

const patterned = (length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, index) => (index * 31 + (index >> 8)) & 0xff)
const newKey = () => crypto.randomUUID()

/**
 * Tests the guarantees of an object store. `opened` returns the store. It is called for each call of the store while the
 * tests run, so open the store once before.
 */
export const objectStoreContract = (name: string, opened: () => Objects): void => {
  const run = <A, E>(ask: (objects: Objects) => Effect.Effect<A, E>): Promise<A> => Effect.runPromise(ask(opened()))

  describe(`Objects: ${name}`, () => {
    it.each([0, 1, 100_000, 3 * 1024 * 1024 + 7])("an object of %d bytes comes back byte for byte", async (length) => {
      const [key, bytes] = [newKey(), patterned(length)]
      await run((objects) => objects.put(key, bytes))
      const read = await run((objects) => objects.read(key))
      expect(read?.byteLength).toBe(length)
      expect(read?.every((byte, index) => byte === bytes[index])).toBe(true)
    })

    it("part of a larger buffer is written as that part alone", async () => {
      const key = newKey()
      await run((objects) => objects.put(key, patterned(100).subarray(10, 20)))
      expect([...((await run((objects) => objects.read(key))) ?? [])]).toEqual([...patterned(100).slice(10, 20)])
    })

    it("a piece has the requested length, and ends with the object", async () => {
      const [key, bytes] = [newKey(), patterned(1_000)]
      await run((objects) => objects.put(key, bytes))
      const piece = async (offset: number, length: number) => [
        ...((await run((objects) => objects.readSome(key, offset, length))) ?? [])
      ]
      expect(await piece(0, 10)).toEqual([...bytes.slice(0, 10)])
      expect(await piece(500, 100)).toEqual([...bytes.slice(500, 600)])
      expect(await piece(990, 100)).toEqual([...bytes.slice(990)])
      expect(await piece(999, 1)).toEqual([...bytes.slice(999)])
    })

    it("an object that was never written, or was deleted, is not there; deleting it again is no failure", async () => {
      const [key, other] = [newKey(), newKey()]
      await run((objects) => objects.put(key, patterned(10)))
      await run((objects) => objects.put(other, patterned(10)))
      for (const _ of [1, 2]) {
        await run((objects) => objects.remove(key))
        expect(await run((objects) => objects.read(key))).toBeUndefined()
        expect(await run((objects) => objects.readSome(key, 0, 5))).toBeUndefined()
      }
      expect(await run((objects) => objects.read(newKey()))).toBeUndefined()
      expect((await run((objects) => objects.read(other)))?.byteLength).toBe(10)
    })

    it("the same bytes may be written again", async () => {
      const key = newKey()
      for (const _ of [1, 2]) await run((objects) => objects.put(key, patterned(10)))
      expect((await run((objects) => objects.read(key)))?.byteLength).toBe(10)
    })
  })
}
