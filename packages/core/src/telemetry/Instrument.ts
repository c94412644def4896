import { Context, Metric } from "effect"

/** `upDownCounter` is a sum that may also fall, for example the number of running requests. */
export type InstrumentKind = "counter" | "upDownCounter" | "gauge" | "histogram"

/** Attributes of a measurement. Their values come from closed lists and never name a person. */
export type Labels = Readonly<Record<string, string>>

/** The properties of an instrument. */
export interface InstrumentFacts {
  readonly name: string
  readonly kind: InstrumentKind
  /** The unit in the notation of UCUM: `s`, `By`, `{credit}`. */
  readonly unit: string
  readonly description: string
  /** The names of the attributes of its measurements. */
  readonly labels?: ReadonlyArray<string>
  /** Only for a histogram: the upper bounds of its buckets. */
  readonly boundaries?: ReadonlyArray<number>
}

/** The registry of the process: the default of Effect's reference. */
const PROCESS = Context.empty()

const metricOf = (facts: InstrumentFacts, labels: Labels): Metric.Metric<number, unknown> => {
  const { boundaries = [], description, kind, name, unit } = facts
  const options = { description, attributes: { unit, ...labels } }
  if (kind === "counter") return Metric.counter(name, { ...options, incremental: true })
  // A sum that may fall is exported as a gauge, because sums in Prometheus can only grow.
  return kind === "histogram" ? Metric.histogram(name, { ...options, boundaries }) : Metric.gauge(name, options)
}

/**
 * A metric of this process. Recording is synchronous and costs only a look-up, so it has no switch: a process that
 * exports no metrics records the same.
 */
export class Instrument {
  readonly facts: InstrumentFacts
  readonly #series = new Map<string, { readonly labels: Labels; readonly metric: Metric.Metric<number, unknown> }>()

  constructor(facts: InstrumentFacts) {
    this.facts = facts
  }

  /** Adds to a counter, sets a gauge, or adds an observation to a histogram. */
  record(value: number, labels: Labels = {}): void {
    const metric = this.#of(labels)
    if (this.facts.kind === "upDownCounter") metric.modifyUnsafe(value, PROCESS)
    else metric.updateUnsafe(value, PROCESS)
  }

  /**
   * Returns the sum of a counter, the value of a gauge, or the number of observations of a histogram. The call makes
   * the instrument visible to exporters, even if nothing was recorded.
   */
  read(labels: Labels = {}): number {
    const state = this.#of(labels).valueUnsafe(PROCESS) as { readonly count?: number; readonly value?: number }
    return state.value ?? state.count ?? 0
  }

  /** All combinations of attributes that were recorded or read, each with the value that `read` returns. */
  get series(): ReadonlyArray<{ readonly labels: Labels; readonly value: number }> {
    return [...this.#series.values()].map(({ labels }) => ({ labels, value: this.read(labels) }))
  }

  #of(labels: Labels): Metric.Metric<number, unknown> {
    const key = Object.values(labels).join("\0")
    const known = this.#series.get(key)
    if (known !== undefined) return known.metric
    const metric = metricOf(this.facts, labels)
    this.#series.set(key, { labels, metric })
    return metric
  }
}
