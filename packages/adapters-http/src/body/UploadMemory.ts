import { type Effect, type Scope, Semaphore } from "effect"

/** Bounds what all uploads under way keep in memory together. */
export interface UploadMemory {
  /** Waits until so many bytes are free, all of them for more than there are in all; keeps them until the scope closes. */
  reserve(bytes: number): Effect.Effect<void, never, Scope.Scope>
}

export const makeUploadMemory = (totalBytes: number): UploadMemory => {
  const free = Semaphore.makeUnsafe(totalBytes)
  return { reserve: (bytes) => free.takeScoped(Math.min(bytes, totalBytes)) }
}
