import type { Model } from "@parley/core"
import { OMITTABLE_PARAMETERS, type OmittableParameter } from "@parley/core/adapter"
import { readErrorBody } from "../vendor/errorBody.ts"
import { isAboutSize, isUnexplained, verdictOn } from "../vendor/verdict.ts"
import { unwrapRefusal, VendorRefusal } from "../vendor/VendorRefusal.ts"

/** The parameters left out of a request. */
export type Omitted = ReadonlySet<OmittableParameter>

const isOmittable = (name: string): name is OmittableParameter =>
  (OMITTABLE_PARAMETERS as ReadonlyArray<string>).includes(name)

/** What a server is asked without where it refuses a request and does not say why. */
const PLAIN: ReadonlyArray<OmittableParameter> = ["stream_options", "max_completion_tokens", "reasoning_effort"]

const OUTPUT_LIMITS: ReadonlySet<string> = new Set(["max_tokens", "max_completion_tokens"])

const keyOf = ({ id, vendorModel }: Model): string => `${id} ${vendorModel}`

/** Adds to what is left out; undefined where nothing new would be, or where no output limit would be left. */
const added = (omitted: Omitted, names: ReadonlyArray<OmittableParameter>): Omitted | undefined => {
  const more = new Set([...omitted, ...names])
  const unlimited = more.has("max_tokens") && more.has("max_completion_tokens")
  return more.size === omitted.size || unlimited ? undefined : more
}

/**
 * What each model of one endpoint is asked without: what the catalog says, and what the endpoint has been found to
 * refuse, for as long as the process lives.
 */
export class Dialects {
  /** What a model was asked without when it answered last: the catalog may ask one of the vendor's in several ways. */
  readonly #answered = new Map<string, Omitted>()
  /** OpenAI's own servers name what they refuse. */
  readonly #namesAll: boolean

  constructor(namesAll: boolean) {
    this.#namesAll = namesAll
  }

  omittedFor(model: Model): Omitted {
    return this.#answered.get(keyOf(model)) ?? new Set(model.omitParameters)
  }

  /**
   * What to leave out of the next try, after a request without `omitted` was refused: the parameter of `sent` that the
   * vendor names, or, where it names none and the model has never answered, all that a plain server may not know. A
   * model that has answered takes the form of the request. Undefined where the refusal is about something else.
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

  /** Notes that the model answers what is asked without `omitted`. */
  answered(model: Model, omitted: Omitted): void {
    this.#answered.set(keyOf(model), omitted)
  }
}
