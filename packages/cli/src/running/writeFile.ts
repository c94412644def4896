import { randomUUID } from "node:crypto"
import { open, rename, rm } from "node:fs/promises"
import { Effect, Stream } from "effect"
import { FileNotWritten } from "./commandErrors.ts"

/** Runs an operation on the file system, and names the path in its failure. */
export const onDisk = <A>(path: string, work: () => Promise<A>) =>
  Effect.tryPromise({
    try: work,
    catch: (cause) =>
      new FileNotWritten({ path, problem: String((cause as NodeJS.ErrnoException | undefined)?.code ?? "unknown") })
  })

/**
 * Writes pieces to a file that only its owner may read. An existing file is replaced only after all pieces are written,
 * so that a failed export leaves no partial file. Returns the number of pieces; writes no file if there are none.
 */
export const writeFile = <E, R>(path: string, pieces: Stream.Stream<string | Uint8Array, E, R>) =>
  Effect.suspend(() => {
    const partial = `${path}.${randomUUID()}.partial`
    let count = 0
    return Effect.acquireUseRelease(
      onDisk(path, () => open(partial, "wx", 0o600)),
      (file) =>
        Stream.runForEach(pieces, (piece) => {
          count++
          return onDisk(path, () => file.appendFile(piece))
        }),
      (file) => Effect.promise(() => file.close())
    ).pipe(
      Effect.andThen(Effect.suspend(() => (count === 0 ? Effect.void : onDisk(path, () => rename(partial, path))))),
      Effect.ensuring(Effect.promise(() => rm(partial, { force: true }))),
      Effect.map(() => count)
    )
  })
