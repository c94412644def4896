import { describe, expect, it } from "vitest"
import type { Play } from "./FakeVendor.ts"
import { failsAs, heard, isComplete, said, wholeOf } from "./hearing.ts"
import { untilRead } from "./listen.ts"
import { head, wires } from "./wires.ts"

/** Runs checks over every `step`th position, a few at once. */
const everywhere = async (length: number, step: number, check: (position: number) => Promise<void>): Promise<void> => {
  let next = 0
  const work = async () => {
    while (next < length) {
      const position = next
      next += step
      await check(position)
    }
  }
  await Promise.all(Array.from({ length: 8 }, work))
}

/** Cuts and breaks replies at every `step`th byte. */
export const cuts = (step: number): void => {
  describe.each(wires)("$name", (wire) => {
    it("is complete however the bytes are cut, within characters too", async () => {
      const bytes = Buffer.from(head() + wholeOf(wire))
      const play =
        (at: number): Play =>
        async (connection) => {
          await connection.write(bytes.subarray(0, at))
          await untilRead()
          await connection.write(bytes.subarray(at))
          connection.end()
        }
      await everywhere(bytes.length, step, async (at) => isComplete(await heard(wire, play(at))))
    })

    describe("a connection that closes or breaks at any byte", () => {
      const prefix = Buffer.byteLength(head())
      const body = Buffer.from(wholeOf(wire))
      const endMark = wire.name === "openai" ? '"finish_reason":"stop"' : '{"type":"message_stop"}'
      // The event is complete with the empty line behind it.
      const complete = body.indexOf("\n\n", body.indexOf(endMark)) + 2

      const cutting =
        (how: "end" | "reset", at: number): Play =>
        async (connection) => {
          await connection.write(Buffer.concat([Buffer.from(head()), body]).subarray(0, prefix + at))
          // A reset discards bytes that were not read yet.
          if (how === "reset") await untilRead()
          connection[how]()
        }
      const check = (how: "end" | "reset") => async (at: number) => {
        const result = await heard(wire, cutting(how, at))
        expect(said.startsWith(result.text)).toBe(true)
        if (at < complete) return failsAs(result, "cut-off")
        expect(result).toMatchObject({ text: said, failure: undefined })
      }

      it("is cut off unless the end mark came before: closed", () => everywhere(body.length, step, check("end")))
      it("is cut off unless the end mark came before: reset", () => everywhere(body.length, step, check("reset")))

      it("is unavailable where not even the head of the answer came", async () => {
        await everywhere(prefix - 4, step, async (at) => {
          const play: Play = async (connection) => {
            await connection.write(head().slice(0, at))
            connection.reset()
          }
          failsAs(await heard(wire, play), "unavailable")
        })
      })
    })
  })
}
