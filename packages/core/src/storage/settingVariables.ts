import { type Schema, SchemaAST } from "effect"

/**
 * The environment variable of a setting: a whole number with a unit; some of several choices; one of several words,
 * each of which represents a value; or a text that the schema checks. A `picture` is the path of a file, whose content
 * becomes a `data:` URL.
 */
export type SettingVariable =
  | { readonly name: string; readonly minimum: number; readonly maximum: number; readonly unit: number }
  | { readonly name: string; readonly choices: ReadonlyArray<string> }
  | { readonly name: string; readonly words: Readonly<Record<string, unknown>> }
  | { readonly name: string; readonly form: "text" | "picture" }

/** Marks a setting that a server reads from an environment variable. The core itself reads no variables. */
export const fromVariable = <S extends Schema.Top>(schema: S, variable: SettingVariable): S["Rebuild"] =>
  schema.annotate({ variable })

export interface VariableOfSetting {
  readonly path: ReadonlyArray<PropertyKey>
  readonly variable: SettingVariable
}

/** Lists the variables in the AST of a schema of settings, each with the path of its setting. */
export const settingVariables = (
  ast: SchemaAST.AST,
  path: ReadonlyArray<PropertyKey> = []
): ReadonlyArray<VariableOfSetting> => {
  const variable = SchemaAST.resolve(ast)?.["variable"] as SettingVariable | undefined
  if (variable !== undefined) return [{ path, variable }]
  if (SchemaAST.isUnion(ast)) return ast.types.flatMap((member) => settingVariables(member, path))
  if (!SchemaAST.isObjects(ast)) return []
  return ast.propertySignatures.flatMap(({ name, type }) => settingVariables(type, [...path, name]))
}
