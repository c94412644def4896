import { parentPort, workerData } from "node:worker_threads"
import { type Attacker, attacks } from "./attackers.ts"

/** One attack, in a thread of its own so that what it costs the attacker is not taken for the server's delay. */
const { index, attacker } = workerData as { readonly index: number; readonly attacker: Attacker }
const end = await attacks[index]?.begin(attacker)
parentPort?.on("message", () => {
  end?.()
  parentPort?.close()
})
parentPort?.postMessage("begun")
