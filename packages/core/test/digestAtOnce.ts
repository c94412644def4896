import { createHash } from "node:crypto"
import { afterAll, beforeAll, vi } from "vitest"

/**
 * Computes digests synchronously in the tests of a file, instead of in another thread: a test's clock does not wait
 * for other threads, so any time could pass until a digest is computed.
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
