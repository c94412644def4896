import { ModelFailed } from "@parley/core/adapter"
import { ConnectionLost } from "../vendor/readEventStream.ts"
import { EventStreamBroken } from "../vendor/serverSentEvents.ts"
import { isObject, type JsonObject } from "../vendor/vendorEvent.ts"
import { failureEvent, vendorFailure } from "../vendor/vendorFailure.ts"
import { VendorRefusal } from "../vendor/VendorRefusal.ts"
import { misconfigured, type Verdict } from "../vendor/verdict.ts"

/**
 * The verdicts on the AI SDK's errors about a provider's settings, by name of the error. The texts of these errors may
 * contain a setting's value.
 */
const SETTINGS: Readonly<Record<string, Verdict>> = {
  AI_LoadAPIKeyError: misconfigured("the provider of the AI SDK has no key"),
  AI_LoadSettingError: misconfigured("the provider of the AI SDK lacks a setting"),
  AI_NoSuchModelError: misconfigured("the provider of the AI SDK does not know the model: check vendorModel"),
  AI_UnsupportedFunctionalityError: misconfigured("the provider of the AI SDK does not support such a request"),
  AI_InvalidArgumentError: misconfigured("the provider of the AI SDK refuses its settings"),
  AI_InvalidPromptError: misconfigured("the provider of the AI SDK does not take such a prompt")
}

/** Names of the AI SDK's errors about a response that could not be read. */
const UNREADABLE = new Set([
  "AI_JSONParseError",
  "AI_TypeValidationError",
  "AI_InvalidResponseDataError",
  "AI_EmptyResponseBodyError",
  "AI_NoContentGeneratedError"
])

/**
 * True for the errors of the AI SDK itself. They are recognised by name, because several copies of the AI SDK may be
 * loaded.
 */
const isOfAiSdk = (error: unknown): boolean => isObject(error) && String(error["name"]).startsWith("AI_")

/** Returns an error of the AI SDK as it is; any other error while a stream is read means that the connection broke. */
export const readingError = (cause: unknown): unknown =>
  isOfAiSdk(cause) ? cause : new ConnectionLost("The connection to the vendor broke.", { cause })

const bodyOf = ({ data, responseBody }: JsonObject): unknown => {
  if (typeof responseBody !== "string") return data
  try {
    return JSON.parse(responseBody) as unknown
  } catch {
    return responseBody
  }
}

/**
 * Returns the response with an error status that an error contains; undefined if there is none. The prompt, which the
 * error also contains, is dropped.
 */
const refusalIn = (error: JsonObject): VendorRefusal | undefined => {
  const { responseHeaders, statusCode } = error
  if (typeof statusCode !== "number") return undefined
  const headers = isObject(responseHeaders) ? Object.entries(responseHeaders) : []
  const texts = headers.flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] as [string, string]] : []
  )
  return new VendorRefusal(statusCode, new Headers(texts), bodyOf(error))
}

/** Converts an error of a model of the AI SDK, or of its stream, to the port's failure. */
export const aiSdkFailure = (model: string, thrown: unknown): ModelFailed => {
  if (thrown instanceof ModelFailed || !isObject(thrown)) return vendorFailure(model, thrown)
  const refusal = refusalIn(thrown)
  if (refusal !== undefined) return vendorFailure(model, refusal)
  const name = String(thrown["name"])
  const setting = SETTINGS[name]
  if (setting !== undefined) return new ModelFailed({ model, ...setting })
  if (UNREADABLE.has(name)) return vendorFailure(model, new EventStreamBroken("The answer could not be read."))
  // This error of the AI SDK has as its cause the error of the request.
  if (isOfAiSdk(thrown)) return vendorFailure(model, thrown["cause"])
  return thrown instanceof Error ? vendorFailure(model, thrown) : failureEvent(model, thrown)
}
