import type { Model } from "@parley/core"
import { OMITTABLE_PARAMETERS, type OmittableParameter } from "@parley/core/adapter"
import { readErrorBody } from "../vendor/errorBody.ts"
import { isAboutSize, isUnexplained, verdictOn } from "../vendor/verdict.ts"
import { unwrapRefusal, VendorRefusal } from "../vendor/VendorRefusal.ts"

/** The parameters that are dropped from a request. */
export type Omitted = ReadonlySet<OmittableParameter>

const isOmittable = (name: string): name is OmittableParameter =>
  (OMITTABLE_PARAMETERS as ReadonlyArray<string>).includes(name)

/** Parameters to drop together if a server refuses a request without a reason. */
const PLAIN: ReadonlyArray<OmittableParameter> = ["stream_options", "max_completion_tokens", "reasoning_effort"]

const OUTPUT_LIMITS: ReadonlySet<string> = new Set(["max_tokens", "max_completion_tokens"])

const keyOf = ({ id, vendorModel }: Model): string => `${id} ${vendorModel}`

/** Adds names to the dropped parameters; undefined if nothing new is added, or if no output limit would remain. */
const added = (omitted: Omitted, names: ReadonlyArray<OmittableParameter>): Omitted | undefined => {
  const more = new Set([...omitted, ...names])
  const unlimited = more.has("max_tokens") && more.has("max_completion_tokens")
  return more.size === omitted.size || unlimited ? undefined : more
}

/**
 * The parameters that each model of one endpoint does not accept: those of the catalog, and those that the endpoint
 * has refused during the life of the process.
 */
export class Dialects {
  /**
   * The dropped parameters of the last accepted request, per model; the catalog may define one vendor model in several
   * ways.
   */
  readonly #answered = new Map<string, Omitted>()
  /** True for OpenAI's own servers, which name every parameter that they refuse. */
  readonly #namesAll: boolean

  constructor(namesAll: boolean) {
    this.#namesAll = namesAll
  }

  omittedFor(model: Model): Omitted {
    return this.#answered.get(keyOf(model)) ?? new Set(model.omitParameters)
  }

  /**
   * Returns the parameters to drop from the next try, after a request without `omitted` was refused: the parameter of
   * `sent` that the vendor names; if it names none and the model has never answered, all parameters that a simple
   * server may not know. (A model that has answered accepts the form of the request.) Undefined if the refusal has
   * another cause.
   */
  afterRefusal(model: Model, thrown: unknown, omitted: Omitted, sent: ReadonlySet<string>): Omitted | undefined {
    const refusal = unwrapRefusal(thrown)
    if (!(refusal instanceof VendorRefusal) || (refusal.status !== 400 && refusal.status !== 422)) return undefined
    const body = readErrorBody(refusal.body)
    const named = body.parameters
    const verdict = verdictOn(refusal.status, body)
    const refused = named.find((name) => isOmittable(name) && sent.has(name))
    if (refused !== undefined && isOmittable(refused)) {
      // A limit that is too high this once is known all the same: without it, all replies would be without a limit.
      return OUTPUT_LIMITS.has(refused) && isAboutSize(verdict, body) ? undefined : added(omitted, [refused])
    }
    const isExplained = named.length > 0 || !isUnexplained(verdict)
    if (isExplained || this.#namesAll || this.#answered.has(keyOf(model))) return undefined
    return added(omitted, PLAIN)
  }

  /** Records that the model accepted a request without `omitted`. */
  answered(model: Model, omitted: Omitted): void {
    this.#answered.set(keyOf(model), omitted)
  }
}
