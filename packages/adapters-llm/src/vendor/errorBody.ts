import { isObject } from "./vendorEvent.ts"

/** The description of an error in the forms of vendors and compatible servers. */
export interface ErrorBody {
  /** The kinds of error it names, from most to least specific. */
  readonly kinds: ReadonlyArray<string>
  /** An HTTP status that it names itself. */
  readonly status: number | undefined
  /** The parameters of the request that the error names, in order, without nested fields. */
  readonly parameters: ReadonlyArray<string>
  /** All texts of the error, in lower case. It is the vendor's text: use it only to look for words. */
  readonly text: string
}

/** Enough of an error's text to find words in. */
const MAX_TEXT = 16_384

/** Parameters that an error may name in its text; those that occur in ordinary sentences in quotes only. */
const NAMED =
  /(?<![\w-])(stream_options|max_completion_tokens|max_tokens|reasoning_effort|output_config)(?![\w-])|["'`](stream|model|messages|thinking|temperature)["'`]/g

/** `stream_options.include_usage` and `messages[3].content` are about `stream_options` and `messages`. */
const outermost = (path: string): string => path.split(/[.[]/, 1)[0] ?? ""

const objects = (value: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  Array.isArray(value) ? value.filter(isObject) : isObject(value) ? [value] : []

/** The objects that may describe an error: the body, its `error`, and their parts. */
const layersOf = (body: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> => {
  const top = objects(body)
  const errors = top.flatMap(({ error }) => objects(error))
  const inner = [...errors, ...top].flatMap(({ innererror, message, metadata }) =>
    [innererror, message, metadata].flatMap(objects)
  )
  return [...errors, ...top, ...inner]
}

/** `detail: [{loc: ["body", "stream_options"], ...}]`, as servers that check requests with Pydantic answer. */
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

/** Reads an error: parsed JSON of any of the forms in use, or plain text. */
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
