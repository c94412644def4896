// Loaded into a server before it starts: writes the delays of its main thread, and its memory, to turns.json in its
// folder. SIGUSR2 begins anew.
import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { isMainThread } from "node:worker_threads"

const BEAT_MS = 5

const spentMs = () => {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1000
}

/**
 * Milliseconds for which a thread was ready to run while the machine ran others: the second figure of Linux'
 * schedstat; otherwise 0.
 */
const waitedMs = (thread) => {
  try {
    return Number(readFileSync(`/proc/self/task/${thread}/schedstat`, "latin1").split(" ")[1]) / 1e6
  } catch {
    return 0
  }
}

/** The threads on which V8 collects garbage beside the main one, which waits for them. */
const collectors = () => {
  try {
    return readdirSync("/proc/self/task").filter(
      (thread) => readFileSync(`/proc/self/task/${thread}/comm`, "latin1").trim() === "V8Worker"
    )
  } catch {
    return []
  }
}

/** Major page faults of the main thread: reads from the disk. */
const majorFaults = () => {
  try {
    const stat = readFileSync(`/proc/self/task/${process.pid}/stat`, "latin1")
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[9])
  } catch {
    return 0
  }
}

/** The number of reported worst beats. */
const WORST = 8

/** Figures in buckets of a tenth of a millisecond. */
class Delays {
  #buckets = new Map()
  #count = 0
  max = 0
  add(ms) {
    const bucket = Math.ceil(ms * 10)
    this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + 1)
    this.#count += 1
    this.max = Math.max(this.max, ms)
  }
  quantile(share) {
    let left = Math.ceil(this.#count * share)
    for (const [bucket, count] of [...this.#buckets].toSorted(([one], [other]) => one - other)) {
      left -= count
      if (left <= 0) return bucket / 10
    }
    return 0
  }
  summary() {
    return {
      count: this.#count,
      p50: this.quantile(0.5),
      p99: this.quantile(0.99),
      p999: this.quantile(0.999),
      max: this.max
    }
  }
}

if (isMainThread) {
  let number = 0
  let last
  let late
  let own
  let turnMs
  let resident
  let worst
  let began
  const helpers = collectors()
  const look = () => ({
    at: performance.now(),
    spent: spentMs(),
    waited: waitedMs(process.pid),
    helped: helpers.map(waitedMs),
    faults: majorFaults()
  })
  const begin = () => {
    last = look()
    began = last.at
    worst = []
    late = new Delays()
    own = new Delays()
    turnMs = 0
    resident = 0
  }
  begin()
  setInterval(() => {
    const now = look()
    const lateMs = Math.max(0, now.at - last.at - BEAT_MS)
    // Time for which the machine made it wait before the beat was due is no delay.
    const machineMs = Math.max(0, now.waited - last.waited - BEAT_MS)
    late.add(lateMs)
    const computedMs = now.spent - last.spent
    // The thread may have waited for a collector that the machine delayed.
    const stoodMs = Math.max(0, lateMs - machineMs - computedMs)
    const helpersMs = Math.min(stoodMs, Math.max(0, ...now.helped.map((ms, each) => ms - last.helped[each])))
    const ownMs = Math.max(0, lateMs - machineMs - helpersMs)
    own.add(ownMs)
    worst.push({
      secondsIn: (now.at - began) / 1000,
      ownMs,
      lateMs,
      computedMs,
      machineMs,
      helpersMs,
      pagesRead: now.faults - last.faults
    })
    worst.sort((one, other) => other.ownMs - one.ownMs).splice(WORST)
    turnMs = Math.max(turnMs, now.spent - last.spent)
    last = now
  }, BEAT_MS).unref()
  setInterval(() => {
    resident = Math.max(resident, process.memoryUsage.rss())
    const measured = { number, turnMs, resident, late: late.summary(), own: own.summary(), worst }
    writeFileSync("turns.json.new", JSON.stringify(measured))
    renameSync("turns.json.new", "turns.json")
    last = look()
  }, 200).unref()
  setFlagsFromString("--expose-gc")
  const collectGarbage = runInNewContext("gc")
  process.on("SIGUSR2", () => {
    // The second collection returns the memory that the first one found unused.
    collectGarbage()
    collectGarbage()
    number += 1
    begin()
  })
}
