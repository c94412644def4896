import { Result, Schema, SchemaAST, SchemaIssue } from "effect"

/** A call received an invalid value, for example an id that no storage can store. Nothing was done. */
export class InvalidInput extends Schema.TaggedError<InvalidInput>()("InvalidInput", {
  /** The invalid parameter, or the field of a parameter. */
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

/** Describes the values of a schema in words, which are also used for a missing field. */
const described = <S extends Schema.Top>(schema: S, expected: string) =>
  schema.annotateKey({ messageMissingKey: `Expected ${expected}` })

const name = (what: string) => {
  const expected = `${what}: 1 to ${MAX_NAME} characters, without NUL`
  const isName = (value: string) =>
    value !== "" && value.length <= MAX_NAME && value.isWellFormed() && !value.includes("\0")
  return described(Schema.String.check(Schema.makeFilter(isName, { expected })), expected)
}

/** A whole number from `minimum` to `maximum`; `expected` is the description for errors. */
export const whole = (minimum: number, maximum: number, expected = `a whole number from ${minimum} to ${maximum}`) =>
  described(
    Schema.Number.check(
      Schema.makeFilter((value) => Number.isSafeInteger(value) && value >= minimum && value <= maximum, { expected })
    ),
    expected
  )

/** An id that a storage can store; there may be nothing with this id. */
export const Id = name("an id")

/** The key of a business event, which is handled once, even if it is reported several times. */
export const EventKey = name("a key")

/** The maximum number of elements of a page. */
export const PageLimit = whole(1, MAX_PAGE)

/** An offset in a list, a text or a file. */
export const Offset = whole(0, Number.MAX_SAFE_INTEGER, "a whole number from 0")

/** For a value that the service itself checks, with a named failure of its own. */
export const CheckedByService = Schema.Any

/** For an object that the service itself checks: here only unknown names of fields are refused. */
export const withFields = <A extends object>(...names: ReadonlyArray<keyof A & string>) =>
  Schema.Any.check(
    Schema.makeFilter((value: unknown) =>
      (typeof value === "object" && value !== null ? Object.keys(value) : [])
        .filter((name) => !(names as ReadonlyArray<string>).includes(name))
        .map((name) => ({ path: [name], issue: `Expected ${NO_FIELD}` }))
    )
  )

/** A part of a value that does not match its schema. */
export interface Expectation {
  readonly path: ReadonlyArray<PropertyKey>
  /** The description of the valid values, for example `a whole number from 1 to 50`. */
  readonly expected: string
}

/** Describes a value of a wrong type with the words of its schema, if the schema has some. */
const leafHook: SchemaIssue.LeafHook = (issue) => {
  if (issue._tag === "UnexpectedKey") return `Expected ${NO_FIELD}`
  const expected = issue._tag === "InvalidType" ? SchemaAST.resolve(issue.ast)?.["expected"] : undefined
  return typeof expected === "string" ? `Expected ${expected}` : SchemaIssue.defaultLeafHook(issue)
}

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1({ leafHook })

const valueAt = (given: unknown, path: ReadonlyArray<unknown>): unknown =>
  path.reduce<unknown>((value, key) => (value as Readonly<Record<PropertyKey, unknown>>)[key as PropertyKey], given)

/**
 * Returns a function that lists the problems of a value, without the value. For a value with several possible forms,
 * the form whose fields the value has comes first, because it was probably intended.
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

/** For each call of a service that applications may make, its parameters in their order. */
type InputsOf<Service> = {
  readonly [Name in keyof Service]?: Service[Name] extends (...given: infer Given) => unknown
    ? ParametersOf<Required<Given>>
    : readonly []
}

/** The calls with their parameters, after the compiler has compared the types. */
export type Inputs<Name extends PropertyKey> = { readonly [Each in Name]: ReadonlyArray<Parameter> }

/**
 * Lists the calls of a service that `createParley` offers as promises, each with the name and the schema of every
 * parameter. The compiler compares number, order and types of the parameters with the service.
 */
export const inputsOf =
  <Service>() =>
  <Given extends InputsOf<Service>>(
    inputs: Given & { readonly [Name in Exclude<keyof Given, keyof Service>]: never }
  ): Inputs<keyof Given> =>
    inputs
