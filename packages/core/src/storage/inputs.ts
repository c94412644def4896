import { Result, Schema, SchemaAST, SchemaIssue } from "effect"

/** A call received an invalid value, for example an id that no storage can contain. Nothing was done. */
export class InvalidInput extends Schema.TaggedError<InvalidInput>()("InvalidInput", {
  /** The parameter, or its field. */
  field: Schema.String,
  expected: Schema.String
}) {
  readonly code = "invalid_input"
  override get message() {
    return `${this.field}: expected ${this.expected}.`
  }
}

const NO_FIELD = "no field of this name"

const MAX_NAME = 1_000
const MAX_PAGE = 1_000

/** The words of a failure, also for a field that is missing. */
const described = <S extends Schema.Top>(schema: S, expected: string) =>
  schema.annotateKey({ messageMissingKey: `Expected ${expected}` })

const name = (what: string) => {
  const expected = `${what}: 1 to ${MAX_NAME} characters, without NUL`
  const isName = (value: string) =>
    value !== "" && value.length <= MAX_NAME && value.isWellFormed() && !value.includes("\0")
  return described(Schema.String.check(Schema.makeFilter(isName, { expected })), expected)
}

/** A whole number within bounds, in these words if it is not. */
export const whole = (minimum: number, maximum: number, expected = `a whole number from ${minimum} to ${maximum}`) =>
  described(
    Schema.Number.check(
      Schema.makeFilter((value) => Number.isSafeInteger(value) && value >= minimum && value <= maximum, { expected })
    ),
    expected
  )

/** An id that a storage can hold, whether or not it names anything. */
export const Id = name("an id")

/** The key of a business event: done once, however often it is asked for. */
export const EventKey = name("a key")

/** The most elements of a page. */
export const PageLimit = whole(1, MAX_PAGE)

/** An offset in a list, a text or a file. */
export const Offset = whole(0, Number.MAX_SAFE_INTEGER, "a whole number from 0")

/** For a value that the service checks by itself, with a named failure of its own. */
export const CheckedByService = Schema.Any

/** For an object that the service checks by itself: here only fields of other names are refused. */
export const withFields = <A extends object>(...names: ReadonlyArray<keyof A & string>) =>
  Schema.Any.check(
    Schema.makeFilter((value: unknown) =>
      (typeof value === "object" && value !== null ? Object.keys(value) : [])
        .filter((name) => !(names as ReadonlyArray<string>).includes(name))
        .map((name) => ({ path: [name], issue: `Expected ${NO_FIELD}` }))
    )
  )

/** A part of a value that is not as its schema says. */
export interface Expectation {
  readonly path: ReadonlyArray<PropertyKey>
  /** The words of the schema, for example `a whole number from 1 to 50`. */
  readonly expected: string
}

/** A value of another type is refused in the words of its schema, if it has some. */
const leafHook: SchemaIssue.LeafHook = (issue) => {
  if (issue._tag === "UnexpectedKey") return `Expected ${NO_FIELD}`
  const expected = issue._tag === "InvalidType" ? SchemaAST.resolve(issue.ast)?.["expected"] : undefined
  return typeof expected === "string" ? `Expected ${expected}` : SchemaIssue.defaultLeafHook(issue)
}

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1({ leafHook })

const valueAt = (given: unknown, path: ReadonlyArray<unknown>): unknown =>
  path.reduce<unknown>((value, key) => (value as Readonly<Record<PropertyKey, unknown>>)[key as PropertyKey], given)

/**
 * Returns a function that lists the problems of a value, without the value. For a value with several forms, the form
 * that was probably intended comes first: the one whose fields the value has.
 */
export const expectationsOf = (schema: Schema.Codec<unknown, unknown>, options?: SchemaAST.ParseOptions) => {
  const decode = Schema.decodeUnknownResult(schema, options)
  return (given: unknown): ReadonlyArray<Expectation> => {
    const decoded = decode(given)
    if (Result.isSuccess(decoded)) return []
    const isGiven = ({ path }: { readonly path: ReadonlyArray<PropertyKey> }) => valueAt(given, path) !== undefined
    const found = issuesOf(decoded.failure.issue).issues.map(({ message, path = [] }) => ({
      path: path as ReadonlyArray<PropertyKey>,
      expected: message === "Missing key" ? "a value" : message.replace(/^Expected /, "")
    }))
    return [...found.filter(isGiven), ...found.filter((each) => !isGiven(each))]
  }
}

/** One parameter of a call: its name and its schema. */
export type Parameter<A = unknown> = Readonly<
  Record<string, Schema.Codec<A, unknown> | Schema.Codec<A | undefined, unknown>>
>

type ParametersOf<Given extends ReadonlyArray<unknown>> = { readonly [Place in keyof Given]: Parameter<Given[Place]> }

/** The parameters of each call of a service that applications may make, in their order. */
type InputsOf<Service> = {
  readonly [Name in keyof Service]?: Service[Name] extends (...given: infer Given) => unknown
    ? ParametersOf<Required<Given>>
    : readonly []
}

/** The calls with their parameters, whose types the compiler has compared. */
export type Inputs<Name extends PropertyKey> = { readonly [Each in Name]: ReadonlyArray<Parameter> }

/**
 * Names the calls of a service that `createParley` offers as promises, each with the name and the schema of every
 * parameter. The compiler compares number, order and types of the parameters with the service.
 */
export const inputsOf =
  <Service>() =>
  <Given extends InputsOf<Service>>(
    inputs: Given & { readonly [Name in Exclude<keyof Given, keyof Service>]: never }
  ): Inputs<keyof Given> =>
    inputs
