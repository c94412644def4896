import { setPriority } from "node:os"
import { type Attacker, attacks } from "./attackers.ts"

/**
 * One attack, in a process of its own with the lowest priority: an attacker comes from elsewhere, and what it costs him
 * is not to be taken for the server's delay.
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
