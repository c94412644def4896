import { Instrument, type InstrumentFacts } from "./Instrument.ts"

/**
 * Bucket bounds in seconds: those that OpenTelemetry advises for requests, and longer ones, because a streamed reply is
 * a request that lasts for minutes.
 */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30, 60, 120, 300]
/** Bounds that OpenTelemetry advises for models: seconds of a call, and tokens. */
const MODEL_SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
const TOKENS = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864]
/** Bounds in seconds of statements. */
const STATEMENT_SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10]

const MODEL_LABELS = ["gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model"]

const counter = (name: string, unit: string, description: string, labels: ReadonlyArray<string> = []) =>
  new Instrument({ kind: "counter", name, unit, description, labels })
const gauge = (name: string, unit: string, description: string, labels: ReadonlyArray<string> = []) =>
  new Instrument({ kind: "gauge", name, unit, description, labels })
const histogram = (facts: Omit<InstrumentFacts, "kind">) => new Instrument({ kind: "histogram", ...facts })

/**
 * All metrics, the one list of them. Names outside `parley.` are those of OpenTelemetry's semantic conventions (1.43,
 * and the conventions for generative AI 0.1). Gauges of the storage say the same in each process that exports them.
 */
export const instruments = {
  httpDuration: histogram({
    name: "http.server.request.duration",
    unit: "s",
    description: "Duration of requests, to the end of the response",
    labels: ["http.request.method", "http.route", "http.response.status_code"],
    boundaries: SECONDS
  }),
  httpActive: new Instrument({
    kind: "upDownCounter",
    name: "http.server.active_requests",
    unit: "{request}",
    description: "Requests that are being answered"
  }),
  modelDuration: histogram({
    name: "gen_ai.client.operation.duration",
    unit: "s",
    description: "Duration of calls of models, to the end of the reply",
    labels: [...MODEL_LABELS, "error.type"],
    boundaries: MODEL_SECONDS
  }),
  modelFirstText: histogram({
    name: "gen_ai.client.operation.time_to_first_chunk",
    unit: "s",
    description: "Time from a call of a model to its first words",
    labels: MODEL_LABELS,
    boundaries: MODEL_SECONDS
  }),
  modelTokens: histogram({
    name: "gen_ai.client.token.usage",
    unit: "{token}",
    description: "Tokens of a call of a model, as its vendor counted them",
    labels: [...MODEL_LABELS, "gen_ai.token.type"],
    boundaries: TOKENS
  }),
  modelFailures: counter("parley.model.failures", "{failure}", "Replies that a model did not finish", [
    "vendor",
    "model",
    "reason"
  ]),
  modelFallbacks: counter("parley.model.fallbacks", "{call}", "Calls of a fallback model in place of one that failed", [
    "model",
    "fallback",
    "reason"
  ]),
  vendorRetries: counter("parley.vendor.retries", "{retry}", "Repeated calls of vendors after a failure", [
    "vendor",
    "model",
    "reason"
  ]),
  databaseDuration: histogram({
    name: "db.client.operation.duration",
    unit: "s",
    description: "Duration of statements, with the wait for a connection",
    labels: ["db.system.name", "parley.purpose", "parley.cell", "error.type"],
    boundaries: STATEMENT_SECONDS
  }),
  connections: gauge("db.client.connection.count", "{connection}", "Connections to the database server", [
    "db.client.connection.state",
    "parley.cell"
  ]),
  connectionsMax: gauge("db.client.connection.max", "{connection}", "Connections that are allowed at most", [
    "parley.cell"
  ]),
  connectionsWaiting: gauge(
    "db.client.connection.pending_requests",
    "{request}",
    "Statements that wait for a free connection",
    ["parley.cell"]
  ),
  cellAbsent: gauge("parley.cell.absent", "{cell}", "1 if a cell does not answer or is not ready, 0 if it is", [
    "parley.cell"
  ]),
  cellOwners: gauge("parley.cell.owners", "{owner}", "Accounts of a cell, as the planner estimates them", [
    "parley.cell"
  ]),
  cellBuckets: gauge("parley.cell.buckets", "{bucket}", "Buckets of owners that are assigned to a cell", [
    "parley.cell"
  ]),
  cellPlacements: gauge(
    "parley.cell.placements",
    "{owner}",
    "Owners whom the directory places in a cell one by one: moved ones, and pseudonyms of erased people",
    ["parley.cell"]
  ),
  cellMoves: gauge("parley.cell.unfinished_moves", "{owner}", "Owners whose move from or to a cell has not ended", [
    "parley.cell"
  ]),
  cellMoveDuration: histogram({
    name: "parley.cell.move.duration",
    unit: "s",
    description:
      "Time for which a move from a cell to another one refused the owner's writes, once its rows are erased",
    labels: ["parley.cell", "parley.cell.target"],
    boundaries: SECONDS
  }),
  cellRefusals: counter(
    "parley.cell.refusals",
    "{statement}",
    "Statements that a cell refused because their owner has moved",
    ["parley.cell"]
  ),
  eventLoopP99: gauge("nodejs.eventloop.delay.p99", "s", "Delay of the event loop that 99 % of its turns stay below"),
  eventLoopMax: gauge("nodejs.eventloop.delay.max", "s", "Longest delay of the event loop since the last sample"),
  memory: gauge("process.memory.usage", "By", "Memory of the process (resident set size)"),
  heap: gauge("v8js.memory.heap.used", "By", "Memory of JavaScript objects"),
  descriptors: gauge("process.open_file_descriptor.count", "{file_descriptor}", "Open files and sockets"),
  reserved: counter("parley.credits.reserved", "{credit}", "Credits that were held"),
  settled: counter("parley.credits.settled", "{credit}", "Credits that were charged from holds"),
  released: counter("parley.credits.released", "{credit}", "Held credits that were not charged, and so came back"),
  swept: counter("parley.credits.swept", "{credit}", "Credits that sweeps charged from holds of dead processes"),
  loss: counter("parley.credits.loss", "{credit}", "Credits by which vendors' figures exceeded what was held"),
  holdsOpen: gauge("parley.holds.open", "{hold}", "Open holds"),
  holdsOldestAge: gauge("parley.holds.oldest_age", "s", "Age of the oldest open hold"),
  repliesActive: new Instrument({
    kind: "upDownCounter",
    name: "parley.replies.active",
    unit: "{reply}",
    description: "Replies that this process writes"
  }),
  repliesCut: counter("parley.replies.cut", "{reply}", "Replies that ended early after their first words", ["reason"]),
  verifyDifferences: gauge("parley.verify.differences", "{difference}", "Differences that the last verification found"),
  verifyLastSuccess: gauge(
    "parley.verify.last_success",
    "s",
    "Unix time of the last finished verification of all accounts"
  ),
  resetLastSuccess: gauge("parley.reset.last_success", "s", "Unix time of the last finished reset"),
  jobsDepth: gauge("parley.jobs.depth", "{job}", "Jobs that are due"),
  jobsOldestAge: gauge("parley.jobs.oldest_age", "s", "Time for which the oldest of these jobs has been due"),
  jobFailures: counter("parley.jobs.failures", "{try}", "Tries of jobs that failed", ["kind"]),
  workersAlive: gauge("parley.workers.alive", "{worker}", "Processes that do background work"),
  webhooksWaiting: gauge("parley.webhooks.waiting", "{event}", "Events that wait for their delivery"),
  webhooksRefused: counter("parley.webhooks.refused", "{try}", "Tries of deliveries that failed", ["reason"]),
  webhooksLag: gauge("parley.webhooks.lag", "s", "Age of the oldest event that waits for its delivery"),
  eventsDead: gauge("parley.events.dead", "{event}", "Events whose delivery was given up"),
  paymentsWaiting: gauge(
    "parley.payments.waiting",
    "{event}",
    "Payment events that are kept until they can be applied"
  ),
  refusals: counter("parley.refusals", "{request}", "Refused requests", ["code"]),
  widgetDeclined: counter("parley.widget.declined", "{message}", "Messages of visitors that were declined", ["reason"])
} as const satisfies Readonly<Record<string, Instrument>>

/** Makes every metric visible to exporters, with 0 where nothing has happened yet. */
export const beginInstruments = (): void => {
  for (const instrument of Object.values(instruments)) instrument.read()
}

const byName = new Map<string, InstrumentFacts>(Object.values(instruments).map(({ facts }) => [facts.name, facts]))

/** The facts of a metric, by its name. */
export const instrumentFacts = (name: string): InstrumentFacts | undefined => byName.get(name)
