/** Smaller pieces are copied together: each alone would cost more than it holds. */
const SMALL_BYTES = 4 * 1024
const BLOCK_BYTES = 16 * 1024

export interface CollectedBytes {
  add(chunk: Buffer): void
  readonly size: number
  /** Everything added, in order. */
  bytes(): Buffer
}

/** Collects bytes that come in pieces of any size, in little more memory than they need. */
export const collectBytes = (): CollectedBytes => {
  const pieces: Array<Buffer> = []
  let block: Buffer | undefined
  let used = 0
  let size = 0
  const closeBlock = () => {
    if (block !== undefined) pieces.push(block.subarray(0, used))
    block = undefined
    used = 0
  }
  return {
    add: (chunk) => {
      size += chunk.byteLength
      if (pieces.length === 0 && block === undefined) return void pieces.push(chunk)
      if (chunk.byteLength >= SMALL_BYTES) {
        closeBlock()
        return void pieces.push(chunk)
      }
      if (used + chunk.byteLength > BLOCK_BYTES) closeBlock()
      block ??= Buffer.allocUnsafeSlow(BLOCK_BYTES)
      used += chunk.copy(block, used)
    },
    get size() {
      return size
    },
    bytes: () => {
      closeBlock()
      return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces)
    }
  }
}
