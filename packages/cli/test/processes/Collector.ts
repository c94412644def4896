import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"

interface Attribute {
  readonly key: string
  readonly value: { readonly stringValue?: string; readonly intValue?: number | string; readonly doubleValue?: number }
}

/** A span as a collector receives it. */
export interface CollectedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes: ReadonlyArray<Attribute>
  /** 2 is an error. */
  readonly status: { readonly code: number }
}

interface Point {
  readonly asDouble?: number
  readonly asInt?: number | string
  readonly count?: number
  readonly attributes: ReadonlyArray<Attribute>
}

/** A metric as a collector receives it. */
export interface CollectedMetric {
  readonly name: string
  readonly unit: string
  readonly sum?: { readonly dataPoints: ReadonlyArray<Point> }
  readonly gauge?: { readonly dataPoints: ReadonlyArray<Point> }
  readonly histogram?: { readonly dataPoints: ReadonlyArray<Point> }
}

/** The body of an export, of traces or of metrics (OTLP's JSON encoding). */
interface Exported {
  readonly resourceMetrics?: ReadonlyArray<ExportedResource>
  readonly resourceSpans?: ReadonlyArray<ExportedResource>
}

interface ExportedResource {
  readonly resource: { readonly attributes: ReadonlyArray<Attribute> }
  readonly scopeMetrics?: ReadonlyArray<{ readonly metrics: ReadonlyArray<CollectedMetric> }>
  readonly scopeSpans?: ReadonlyArray<{ readonly spans: ReadonlyArray<CollectedSpan> }>
}

/** The attributes of a span or a point, as a record. */
export const attributesOf = ({ attributes }: { readonly attributes: ReadonlyArray<Attribute> }) =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue ?? value.doubleValue)])
  )

/** A collector of OpenTelemetry that takes OTLP over HTTP as JSON (OTLP specification 1.9) and keeps what it gets. */
export class Collector implements AsyncDisposable {
  readonly #server: Server
  readonly spans: Array<CollectedSpan> = []
  /** Each export, with all its metrics. */
  readonly exports: Array<ReadonlyArray<CollectedMetric>> = []
  /** The names of the services that exported. */
  readonly services = new Set<string>()

  private constructor() {
    this.#server = createServer(async (request, response) => {
      const chunks: Array<Buffer> = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      this.#take(JSON.parse(Buffer.concat(chunks).toString()) as Exported)
      response.writeHead(200, { "content-type": "application/json" }).end("{}")
    })
  }

  static async start(): Promise<Collector> {
    const collector = new Collector()
    await new Promise<void>((resolve) => collector.#server.listen(0, "127.0.0.1", resolve))
    return collector
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** The points of a metric in the newest export. */
  points(name: string): ReadonlyArray<Point> {
    const metric = this.exports.at(-1)?.find((each) => each.name === name)
    return (metric?.sum ?? metric?.gauge ?? metric?.histogram)?.dataPoints ?? []
  }

  #take({ resourceMetrics = [], resourceSpans = [] }: Exported): void {
    for (const { resource } of [...resourceMetrics, ...resourceSpans]) {
      this.services.add(String(attributesOf(resource)["service.name"]))
    }
    this.spans.push(...resourceSpans.flatMap(({ scopeSpans = [] }) => scopeSpans.flatMap(({ spans }) => spans)))
    for (const { scopeMetrics = [] } of resourceMetrics) {
      this.exports.push(scopeMetrics.flatMap(({ metrics }) => metrics))
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
