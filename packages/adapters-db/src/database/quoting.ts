/** Quotes `name` as an identifier for SQL text; quotes inside the name are doubled. */
export const quoteIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`

/**
 * Quotes `value` as a string constant for SQL text, correct for both values of `standard_conforming_strings`. Throws a
 * `RangeError` for characters that Postgres text cannot hold: NUL and unpaired surrogates.
 */
export const quoteLiteral = (value: string): string => {
  if (value.includes("\0") || !value.isWellFormed()) {
    throw new RangeError("A text with a NUL or a lone surrogate cannot be written in SQL.")
  }
  const quoted = value.replaceAll("'", "''")
  return quoted.includes("\\") ? `E'${quoted.replaceAll("\\", "\\\\")}'` : `'${quoted}'`
}

/** At most 45 characters: the job queue's schema has this name with the suffix `_boss`, and at most 50 characters. */
const SCHEMA_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,44}$/

/** Checks the name of the schema that contains all tables. Throws a `RangeError` that says which names are allowed. */
export const checkSchemaName = (name: string): string => {
  if (!SCHEMA_NAME.test(name) || /^pg_/i.test(name)) {
    throw new RangeError(
      `"${name}" cannot name the database schema. Use 1 to 45 letters, digits and underscores, not beginning with a digit or "pg_".`
    )
  }
  return name
}
