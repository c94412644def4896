import { mkdir, open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { type DocumentKey, DocumentStore, FileStore, StorageFailed } from "@parley/core/adapter"
import { Effect } from "effect"

const worked = <A>(operation: string, work: () => Promise<A>) =>
  Effect.tryPromise({
    try: work,
    catch: (cause) => new StorageFailed({ operation: `FileStore.${operation}`, retryable: false, cause })
  })

/** The result of reading a file, or undefined if there is none. */
const unlessMissing = <A>(reading: Promise<A>): Promise<A | undefined> =>
  reading.catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined
    throw error
  })

/** A name that no id can lead out of the folder with. */
const nameOf = ({ documentId, userId }: DocumentKey): string =>
  [userId, documentId].map((part) => Buffer.from(part).toString("base64url")).join(".")

const keyOf = (name: string): DocumentKey => {
  const [userId = "", documentId = ""] = name.split(".").map((part) => Buffer.from(part, "base64url").toString())
  return { userId, documentId }
}

/** Keeps the bytes of documents as files in a folder. The list of documents stays where it is. */
export const makeFolderFileStore = (folder: string): Effect.Effect<FileStore["Service"], never, DocumentStore> =>
  Effect.gen(function* () {
    const documents = yield* DocumentStore
    const isKept = ({ documentId, userId }: DocumentKey) =>
      Effect.map(documents.find(userId, [documentId]), (found) => found.length > 0)
    const path = (document: DocumentKey) => join(folder, nameOf(document))
    /** Only bytes of a document that there is: those of a removed one wait for `move`. */
    const ofDocument = <A>(document: DocumentKey, operation: string, read: () => Promise<A>) =>
      Effect.flatMap(isKept(document), (kept) =>
        kept ? worked(operation, () => unlessMissing(read())) : Effect.undefined
      )
    return FileStore.of({
      write: ({ bytes, ...document }) =>
        worked("write", async () => {
          await mkdir(folder, { recursive: true })
          // A reader sees the whole file or the one before.
          const unfinished = join(folder, `${crypto.randomUUID()}.new`)
          await writeFile(unfinished, bytes)
          await rename(unfinished, path(document))
        }),
      read: (document) => ofDocument(document, "read", async () => new Uint8Array(await readFile(path(document)))),
      readSome: ({ length, offset, ...document }) =>
        ofDocument(document, "readSome", async () => {
          const file = await open(path(document))
          try {
            const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, offset)
            return buffer.subarray(0, bytesRead)
          } finally {
            await file.close()
          }
        }),
      move: ({ limit }) =>
        Effect.gen(function* () {
          const names = (yield* worked("move", () => unlessMissing(readdir(folder)))) ?? []
          let removed = 0
          for (const name of names.filter((each) => !each.endsWith(".new"))) {
            if (removed >= limit) break
            if (yield* isKept(keyOf(name))) continue
            yield* worked("move", () => rm(join(folder, name), { force: true }))
            removed += 1
          }
          return { moved: 0, removed }
        })
    })
  })
