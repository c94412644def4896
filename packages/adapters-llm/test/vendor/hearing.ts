import type { ModelFailure } from "@parley/core/adapter"
import { expect } from "vitest"
import type { Play } from "./FakeVendor.ts"
import { type Heard, listen, withVendor } from "./listen.ts"
import type { Wire } from "./wires.ts"

/** Characters of two, three and four bytes, so that a cut may fall within each. */
const words = ["Größe", " 世界", " 👩‍🚀!"]
/** The text of a whole reply. */
export const said = words.join("")

/** Its bytes up to the end mark. */
export const deltasOf = (wire: Wire) => wire.start + words.map(wire.delta).join("")
/** All of its bytes. */
export const wholeOf = (wire: Wire) => deltasOf(wire) + wire.end("completed", { input: 9, output: 3 })

/** A vendor that writes these pieces and closes. */
export const sending =
  (...pieces: ReadonlyArray<string | Uint8Array>): Play =>
  async (connection) => {
    for (const piece of pieces) await connection.write(piece)
    connection.end()
  }

/** Nothing but its limits of time. */
export const LIMITS = { idleMs: 60_000, totalMs: 90_000, afterEndMs: 50_000 }

/** Reads a reply of a vendor. */
export const heard = (wire: Wire, play: Play): Promise<Heard> =>
  withVendor(play, (url) => listen(wire.connect(url, { limits: LIMITS }), wire.model))

/** The reply came whole. */
export const isComplete = ({ failure, parts, text }: Heard) => {
  expect(failure).toBeUndefined()
  expect(text).toBe(said)
  expect(parts.at(-1)).toMatchObject({ _tag: "end", reason: "completed", usage: { freshInput: 9, output: 3 } })
}

/** The reply failed so, and had no end. */
export const failsAs = ({ failure, parts }: Heard, reason: ModelFailure) => {
  expect(failure).toMatchObject({ _tag: "ModelFailed", reason })
  expect(parts.some((part) => part._tag === "end")).toBe(false)
}

/** A busy machine may be late. */
export const PATIENCE = { timeout: 60_000, interval: 5 }
