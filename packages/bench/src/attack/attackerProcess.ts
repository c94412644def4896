import { setPriority } from "node:os"
import { type Attacker, attacks } from "./attackers.ts"

/**
 * Runs one attack in a process of the lowest priority, because a real attacker uses another machine, and the
 * attacker's own work must not appear as the server's delay.
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
