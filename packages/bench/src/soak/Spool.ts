import { createHash } from "node:crypto"
import { createReadStream, createWriteStream } from "node:fs"
import { createInterface } from "node:readline"

/** A thing that a server answered, and which therefore has to be stored. */
export type Promised =
  | {
      readonly kind: "reply"
      readonly user: string
      readonly message: string
      /** The client received all of it, or a beginning. */
      readonly isWhole: boolean
      readonly length: number
      readonly digest: string
    }
  | { readonly kind: "visit"; readonly conversation: string; readonly digest: string }
  | { readonly kind: "document"; readonly id: string; readonly bytes: number; readonly isDeleted: boolean }
  | { readonly kind: "payment"; readonly session: string; readonly events: ReadonlyArray<string> }

/** The digest by which texts are compared. */
export const digestOf = (text: string): string => createHash("sha256").update(text).digest("base64url")

/** Keeps promised things in a file, so that memory does not grow with their number. */
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

  /** Ends the writing, and calls `judge` with all of it in batches of at most `size`. */
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
