import { setPriority } from "node:os"
import { type Attacker, attacks } from "./attackers.ts"

/**
 * This process runs one attack with the lowest priority: a real attacker uses another machine, so the attacker's own
 * work must not appear as a delay of the server.
 */
const NICENESS = 19
setPriority(NICENESS)

process.once("message", async ({ index, attacker }: { readonly index: number; readonly attacker: Attacker }) => {
  const end = await attacks[index]?.begin(attacker)
  process.once("message", () => {
    end?.()
    process.disconnect()
  })
  process.send?.("begun")
})
