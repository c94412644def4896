import { createHash } from "node:crypto"
import { afterAll, beforeAll, vi } from "vitest"

/**
 * Has the platform's digests made at once in the tests of a file, where it has another thread make them: a clock that a
 * test moves does not wait for other threads, so that any time might pass until a digest is there.
 */
export const digestAtOnce = (): void => {
  beforeAll(() => {
    vi.spyOn(crypto.subtle, "digest").mockImplementation((_, data) => {
      const bytes = ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : data
      const digest = createHash("sha256").update(new Uint8Array(bytes)).digest()
      return Promise.resolve(new Uint8Array(digest).buffer)
    })
  })
  afterAll(() => void vi.restoreAllMocks())
}
