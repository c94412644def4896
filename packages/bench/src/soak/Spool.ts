import { createHash } from "node:crypto"
import { createReadStream, createWriteStream } from "node:fs"
import { createInterface } from "node:readline"

/** A fact that a server has confirmed in a response, so that it must be stored. */
export type Promised =
  | {
      readonly kind: "reply"
      readonly user: string
      readonly message: string
      /** True if the client received the whole reply; false if it received only the beginning. */
      readonly isWhole: boolean
      readonly length: number
      readonly digest: string
    }
  | { readonly kind: "visit"; readonly conversation: string; readonly digest: string }
  | { readonly kind: "document"; readonly id: string; readonly bytes: number; readonly isDeleted: boolean }
  | { readonly kind: "payment"; readonly session: string; readonly events: ReadonlyArray<string> }

/** Returns the digest by which texts are compared. */
export const digestOf = (text: string): string => createHash("sha256").update(text).digest("base64url")

/** Stores confirmed facts in a file, so that the memory of this program does not grow with their number. */
export class Spool {
  readonly #path: string
  readonly #file: ReturnType<typeof createWriteStream>
  readonly counts = { reply: 0, visit: 0, document: 0, payment: 0 }

  constructor(path: string) {
    this.#path = path
    this.#file = createWriteStream(path)
  }

  add(promised: Promised): void {
    this.counts[promised.kind] += 1
    this.#file.write(`${JSON.stringify(promised)}\n`)
  }

  /** Ends the writing, and calls `judge` with all facts in batches of at most `size`. */
  async read(size: number, judge: (batch: ReadonlyArray<Promised>) => Promise<void>): Promise<void> {
    await new Promise<void>((resolve) => this.#file.end(resolve))
    let batch: Array<Promised> = []
    for await (const line of createInterface({ input: createReadStream(this.#path) })) {
      batch.push(JSON.parse(line) as Promised)
      if (batch.length < size) continue
      await judge(batch)
      batch = []
    }
    if (batch.length > 0) await judge(batch)
  }
}
