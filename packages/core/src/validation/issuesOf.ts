import { Schema, SchemaIssue } from "effect"

/** A problem of an input: its path, such as `messages[0].role`, and the expected form. Never contains the input. */
export const InputIssue = Schema.Struct({ path: Schema.String, message: Schema.String })
export type InputIssue = typeof InputIssue.Type

/** The maximum number of problems of one input, because an error must not be longer than its input. */
const MAX_ISSUES = 20

const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1()

/** Returns the first problems of an input that a schema refused. `root` is the name of the input as a whole. */
export const issuesOf = ({ issue }: Schema.SchemaError, root = "body"): ReadonlyArray<InputIssue> =>
  formatIssue(issue)
    .issues.slice(0, MAX_ISSUES)
    .map(({ message, path }) => ({ path: pathText(path) || root, message }))

const pathText = (path: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> = []): string =>
  path.reduce<string>((text, part) => {
    const key = typeof part === "object" ? part.key : part
    if (typeof key === "number") return `${text}[${key}]`
    return text === "" ? String(key) : `${text}.${String(key)}`
  }, "")
