import { isObject } from "./vendorEvent.ts"

/** An error of a vendor or a compatible server, in one form for all of them. */
export interface ErrorBody {
  /** The kinds of error that the body names, the most specific first. */
  readonly kinds: ReadonlyArray<string>
  /** The HTTP status that the body itself names. */
  readonly status: number | undefined
  /** The request parameters that the error names, in order, without nested fields. */
  readonly parameters: ReadonlyArray<string>
  /** All texts of the error, in lower case. They come from the vendor: use them only to search for words. */
  readonly text: string
}

/** The most characters of an error's text, which are enough to find words in it. */
const MAX_TEXT = 16_384

/**
 * Matches parameters that an error names in its text. Names that are also ordinary words are matched only in quotes.
 */
const NAMED =
  /(?<![\w-])(stream_options|max_completion_tokens|max_tokens|reasoning_effort|output_config)(?![\w-])|["'`](stream|model|messages|thinking|temperature)["'`]/g

/**
 * Returns the outermost field of a path: `stream_options` of `stream_options.include_usage`, `messages` of
 * `messages[3].content`.
 */
const outermost = (path: string): string => path.split(/[.[]/, 1)[0] ?? ""

const objects = (value: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  Array.isArray(value) ? value.filter(isObject) : isObject(value) ? [value] : []

/** Returns the objects that may describe an error: the body, its `error`, and their parts. */
const layersOf = (body: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> => {
  const top = objects(body)
  const errors = top.flatMap(({ error }) => objects(error))
  const inner = [...errors, ...top].flatMap(({ innererror, message, metadata }) =>
    [innererror, message, metadata].flatMap(objects)
  )
  return [...errors, ...top, ...inner]
}

/**
 * Returns the parameters in `detail: [{loc: ["body", "stream_options"], ...}]`, the form in which servers that use
 * Pydantic report invalid requests.
 */
const locatedIn = (layers: ReadonlyArray<Readonly<Record<string, unknown>>>): ReadonlyArray<string> =>
  layers
    .flatMap(({ detail }) => objects(detail))
    .flatMap(({ loc }) => (Array.isArray(loc) ? [loc.find((part) => part !== "body" && typeof part === "string")] : []))
    .filter((part) => typeof part === "string")

const textOf = (body: unknown): string => {
  const text = typeof body === "string" ? body : (JSON.stringify(body) ?? "")
  return text.slice(0, MAX_TEXT).toLowerCase()
}

const statusIn = (layers: ReadonlyArray<Readonly<Record<string, unknown>>>): number | undefined =>
  layers
    .flatMap(({ code, status }) => [code, status])
    .map((value) => (typeof value === "string" && /^\d{3}$/.test(value) ? Number(value) : value))
    .find((value) => typeof value === "number" && value >= 400 && value < 600) as number | undefined

/** Reads an error: parsed JSON of any known form, or plain text. */
export const readErrorBody = (body: unknown): ErrorBody => {
  const layers = layersOf(body)
  const text = textOf(body)
  const named = layers.flatMap(({ param }) => (typeof param === "string" && param !== "None" ? [outermost(param)] : []))
  const located = locatedIn(layers)
  const mentioned = [...text.matchAll(NAMED)].map(([, name, quoted]) => name ?? quoted ?? "")
  return {
    kinds: layers.flatMap(({ code, type }) => [code, type]).filter((kind) => typeof kind === "string"),
    status: statusIn(layers),
    parameters: [...new Set([...named, ...located, ...mentioned])].filter((name) => name !== ""),
    text
  }
}
