// Loaded into a server before it starts: writes how long its thread computes without turning to anything else, and how
// much memory it has, to turns.json in its folder. SIGUSR2 begins anew.
import { renameSync, writeFileSync } from "node:fs"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { isMainThread } from "node:worker_threads"

if (isMainThread) {
  const BEAT_MS = 5
  const delay = monitorEventLoopDelay({ resolution: BEAT_MS })
  delay.enable()
  const spent = () => {
    const { system, user } = process.threadCpuUsage()
    return (system + user) / 1000
  }
  let number = 0
  let last = spent()
  let turnMs = 0
  let resident = 0
  setInterval(() => {
    const now = spent()
    turnMs = Math.max(turnMs, now - last)
    last = now
  }, BEAT_MS).unref()
  setInterval(() => {
    resident = Math.max(resident, process.memoryUsage.rss())
    const measured = { number, turnMs, resident, delayMs: delay.max / 1e6, delayP99Ms: delay.percentile(99) / 1e6 }
    writeFileSync("turns.json.new", JSON.stringify(measured))
    renameSync("turns.json.new", "turns.json")
    last = spent()
  }, 200).unref()
  setFlagsFromString("--expose-gc")
  const collectGarbage = runInNewContext("gc")
  process.on("SIGUSR2", () => {
    // What the first collection finds unused is given back by the second.
    collectGarbage()
    collectGarbage()
    last = spent()
    number += 1
    turnMs = 0
    resident = 0
    delay.reset()
  })
}
