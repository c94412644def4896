import { Effect, type Layer } from "effect"
import { expect, it } from "vitest"
import { DocumentStore } from "../../documents/storing/DocumentStore.ts"
import { FileStore } from "../../documents/storing/FileStore.ts"
import { ampleQuota, newDocument, newUserId } from "../storage/storageFixtures.ts"
import { suiteOn } from "../suiteOn.ts"

const MIB = 1024 * 1024

/** Bytes that are different everywhere, so that a wrong order of parts is detected. */
const patterned = (length: number): Uint8Array => {
  const bytes = new Uint8Array(length)
  for (let index = 0; index < length; index++) bytes[index] = (index * 31 + (index >> 8) * 17 + (index >> 16)) & 0xff
  return bytes
}

const newFile = (bytes: Uint8Array) =>
  Effect.gen(function* () {
    const documents = yield* DocumentStore
    const files = yield* FileStore
    const document = newDocument(newUserId(), { bytes: bytes.byteLength })
    yield* documents.insert(document, ampleQuota)
    yield* files.write({ userId: document.userId, documentId: document.id, bytes })
    return document
  })

/**
 * Tests the guarantees of a `FileStore`, together with the `DocumentStore` of the same adapter. `layer` is built once,
 * for all tests.
 */
export const fileStoreContract = (name: string, layer: Layer.Layer<FileStore | DocumentStore, unknown>): void =>
  suiteOn(`FileStore: ${name}`, layer, (run) => {
    for (const length of [0, 1, MIB - 1, MIB, MIB + 1, 2 * MIB, 5 * MIB + 12345]) {
      it(`a file of ${length} bytes comes back byte for byte`, () =>
        run(
          Effect.gen(function* () {
            const files = yield* FileStore
            const bytes = patterned(length)
            const { id, userId } = yield* newFile(bytes)
            const read = yield* files.read({ userId, documentId: id })
            expect(read?.byteLength).toBe(length)
            expect(read?.every((byte, index) => byte === bytes[index])).toBe(true)
          })
        ))
    }

    it("a file is read piece by piece, in pieces as large as the reader wants or smaller", () =>
      run(
        Effect.gen(function* () {
          const files = yield* FileStore
          const bytes = patterned(2 * MIB + 777)
          const { id: documentId, userId } = yield* newFile(bytes)
          const read: Array<Uint8Array> = []
          let offset = 0
          for (;;) {
            const length = offset % 3 === 0 ? 700_001 : 64 * 1024
            const piece = yield* files.readSome({ userId, documentId, offset, length })
            if (piece === undefined || piece.byteLength === 0) break
            expect(piece.byteLength).toBeLessThanOrEqual(length)
            read.push(piece)
            offset += piece.byteLength
          }
          const whole = new Uint8Array(offset)
          read.reduce((at, piece) => (whole.set(piece, at), at + piece.byteLength), 0)
          expect(offset).toBe(bytes.byteLength)
          expect(whole.every((byte, index) => byte === bytes[index])).toBe(true)
        })
      ))

    it("only its owner reads pieces of a file; an empty one has none, and a document without bytes is no file", () =>
      run(
        Effect.gen(function* () {
          const documents = yield* DocumentStore
          const files = yield* FileStore
          const { id: documentId, userId } = yield* newFile(patterned(10))
          const piece = { offset: 2, length: 3 }
          expect([...((yield* files.readSome({ userId, documentId, ...piece })) ?? [])]).toEqual([
            ...patterned(10).slice(2, 5)
          ])
          expect(yield* files.readSome({ userId: newUserId(), documentId, ...piece })).toBeUndefined()
          expect(yield* files.readSome({ userId, documentId: "nonsense'", ...piece })).toBeUndefined()
          const empty = yield* newFile(new Uint8Array())
          const ofEmpty = { userId: empty.userId, documentId: empty.id, offset: 0, length: 10 }
          expect((yield* files.readSome(ofEmpty))?.byteLength).toBe(0)
          const without = newDocument(userId)
          yield* documents.insert(without, ampleQuota)
          expect(yield* files.readSome({ userId, documentId: without.id, ...piece })).toBeUndefined()
        })
      ))

    it("part of a larger buffer is written as that part alone", () =>
      run(
        Effect.gen(function* () {
          const files = yield* FileStore
          const { id, userId } = yield* newFile(patterned(100).subarray(10, 20))
          expect([...((yield* files.read({ userId, documentId: id })) ?? [])]).toEqual([
            ...patterned(100).slice(10, 20)
          ])
        })
      ))

    it("writing again replaces all earlier bytes", () =>
      run(
        Effect.gen(function* () {
          const files = yield* FileStore
          const { id, userId } = yield* newFile(patterned(3 * MIB))
          yield* files.write({ userId, documentId: id, bytes: new Uint8Array([7]) })
          expect([...((yield* files.read({ userId, documentId: id })) ?? [])]).toEqual([7])
        })
      ))

    it("a removed document's bytes are gone with it", () =>
      run(
        Effect.gen(function* () {
          const documents = yield* DocumentStore
          const files = yield* FileStore
          const { id, userId } = yield* newFile(patterned(10))
          yield* documents.remove(userId, id)
          expect(yield* files.read({ userId, documentId: id })).toBeUndefined()
        })
      ))

    it("only its owner reads a file", () =>
      run(
        Effect.gen(function* () {
          const files = yield* FileStore
          const { id } = yield* newFile(patterned(10))
          expect(yield* files.read({ userId: newUserId(), documentId: id })).toBeUndefined()
        })
      ))

    it("a document without bytes, and an id that is no UUID, have none", () =>
      run(
        Effect.gen(function* () {
          const documents = yield* DocumentStore
          const files = yield* FileStore
          const document = newDocument(newUserId())
          yield* documents.insert(document, ampleQuota)
          expect(yield* files.read({ userId: document.userId, documentId: document.id })).toBeUndefined()
          expect(yield* files.read({ userId: document.userId, documentId: "nonsense'" })).toBeUndefined()
        })
      ))
  })
