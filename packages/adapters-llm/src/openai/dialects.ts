import type { Model } from "@parley/core"
import { OMITTABLE_PARAMETERS, type OmittableParameter } from "@parley/core/adapter"
import { readErrorBody } from "../vendor/errorBody.ts"
import { isAboutSize, isUnexplained, verdictOn } from "../vendor/verdict.ts"
import { unwrapRefusal, VendorRefusal } from "../vendor/VendorRefusal.ts"

/** The parameters that are left out of a request. */
export type Omitted = ReadonlySet<OmittableParameter>

const isOmittable = (name: string): name is OmittableParameter =>
  (OMITTABLE_PARAMETERS as ReadonlyArray<string>).includes(name)

/** The parameters that are left out together if a server refuses a request without naming one. */
const PLAIN: ReadonlyArray<OmittableParameter> = ["stream_options", "max_completion_tokens", "reasoning_effort"]

const OUTPUT_LIMITS: ReadonlySet<string> = new Set(["max_tokens", "max_completion_tokens"])

const keyOf = ({ id, vendorModel }: Model): string => `${id} ${vendorModel}`

/** Adds names to the omitted parameters. Returns undefined if nothing is added, or if no output limit would remain. */
const added = (omitted: Omitted, names: ReadonlyArray<OmittableParameter>): Omitted | undefined => {
  const more = new Set([...omitted, ...names])
  const unlimited = more.has("max_tokens") && more.has("max_completion_tokens")
  return more.size === omitted.size || unlimited ? undefined : more
}

/**
 * Remembers the parameters that the models of one endpoint do not accept: those in the catalog, and those that the
 * endpoint has refused while this process runs.
 */
export class Dialects {
  /**
   * The parameters that were omitted in the last accepted request, by model. The key is more than the name of the
   * vendor's model, because the catalog may define that model in several ways.
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
   * Returns the parameters to omit in the next try, after a request without `omitted` was refused. If the vendor names
   * a parameter of `sent`, that one is added. If it names none, and the model has never accepted a request, all
   * parameters are added that a simple server may not know; a model that has accepted a request accepts the form of
   * this one too. Returns undefined if the refusal has another cause.
   */
  afterRefusal(model: Model, thrown: unknown, omitted: Omitted, sent: ReadonlySet<string>): Omitted | undefined {
    const refusal = unwrapRefusal(thrown)
    if (!(refusal instanceof VendorRefusal) || (refusal.status !== 400 && refusal.status !== 422)) return undefined
    const body = readErrorBody(refusal.body)
    const named = body.parameters
    const verdict = verdictOn(refusal.status, body)
    const refused = named.find((name) => isOmittable(name) && sent.has(name))
    if (refused !== undefined && isOmittable(refused)) {
      // If only the value of an output limit is too high, the endpoint knows the parameter. Omitting it would leave all
      // later replies without a limit.
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
