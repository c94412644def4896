/**
 * Compares streamed replies through Parley with and without its telemetry, in one run: traces and metrics that are sent
 * to a collector, and metrics for Prometheus. `npm run bench:telemetry`, with TEST_DATABASE_URL; `-- --quick` for a
 * short run. Exits with 1 if the goal is missed.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { parseArgs } from "node:util"
import { type Contender, startParley } from "./chat/Contender.ts"
import { throughput, warmUp } from "./chat/measures.ts"
import { ServerProcess } from "./chat/ServerProcess.ts"
import { median, shuffled } from "./measuring/statistics.ts"
import { createTemporaryDatabase } from "./measuring/temporaryDatabase.ts"

const { values: flags } = parseArgs({ options: { quick: { type: "boolean", default: false } } })
const rounds = flags.quick ? 7 : 21
const milliseconds = flags.quick ? 1500 : 3000
const STREAMS = 64
/** The most processor time that telemetry may add to a reply, in percent. */
const GOAL = 2

/** The bytes that the collector has received. It accepts all data, and stores nothing. */
let received = 0
const collector = createServer((request, response) => {
  request.on("data", (chunk: Buffer) => void (received += chunk.byteLength))
  request.on("end", () => response.writeHead(200, { "content-type": "application/json" }).end("{}"))
})
await new Promise<void>((done) => collector.listen(0, "127.0.0.1", done))
const collectorUrl = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`

const measure = async (contender: Contender) => {
  const { processorMilliseconds, repliesPerSecond } = await throughput(contender, STREAMS, milliseconds)
  return { processorMilliseconds, repliesPerSecond }
}

const report = (off: ReadonlyArray<number>, on: ReadonlyArray<number>, perSecond: ReadonlyArray<number>): void => {
  const added = median(on.map((value, round) => 100 * (value / (off[round] ?? Number.NaN) - 1)))
  console.log(`processor time of a reply, ms, median: off ${median(off).toFixed(3)}, on ${median(on).toFixed(3)}`)
  console.log(`replies a second, on beside off, median of ${rounds} rounds: ${median(perSecond).toFixed(3)}`)
  console.log(`kilobytes sent to the collector: ${Math.round(received / 1024)}`)
  const met = added <= GOAL
  console.log(`${met ? "met   " : "MISSED"} processor time added, at most ${GOAL} %: ${added.toFixed(2)} %`)
  if (!met) process.exitCode = 1
}

const databases = [await createTemporaryDatabase(), await createTemporaryDatabase()] as const
try {
  await using vendor = await ServerProcess.start(new URL("chat/fakeVendor.ts", import.meta.url), [], {})
  await using off = await startParley(vendor.url, databases[0].url)
  await using on = await startParley(vendor.url, databases[1].url, undefined, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl,
    PARLEY_METRICS_PORT: "0"
  })
  for (const contender of [off, on]) {
    await warmUp(contender)
    await measure(contender)
  }
  const figures = { off: [] as Array<number>, on: [] as Array<number>, perSecond: [] as Array<number> }
  for (let round = 1; round <= rounds; round += 1) {
    const measured = new Map<Contender, Awaited<ReturnType<typeof measure>>>()
    for (const contender of shuffled([off, on])) measured.set(contender, await measure(contender))
    figures.off.push(measured.get(off)?.processorMilliseconds ?? Number.NaN)
    figures.on.push(measured.get(on)?.processorMilliseconds ?? Number.NaN)
    figures.perSecond.push(
      (measured.get(on)?.repliesPerSecond ?? Number.NaN) / (measured.get(off)?.repliesPerSecond ?? Number.NaN)
    )
    process.stderr.write(`round ${round} of ${rounds}\n`)
  }
  report(figures.off, figures.on, figures.perSecond)
} finally {
  for (const database of databases) await database.drop()
  collector.closeAllConnections()
  collector.close()
}
