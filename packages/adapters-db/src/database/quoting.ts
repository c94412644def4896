/** `name` as an identifier in SQL text: quoted, inner quotes doubled. */
export const quoteIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`

/**
 * `value` as a string constant in SQL text, correct for either value of `standard_conforming_strings`. Throws a
 * `RangeError` for characters that Postgres text cannot hold: NUL, and unpaired surrogates.
 */
export const quoteLiteral = (value: string): string => {
  if (value.includes("\0") || !value.isWellFormed()) {
    throw new RangeError("A text with a NUL or a lone surrogate cannot be written in SQL.")
  }
  const quoted = value.replaceAll("'", "''")
  return quoted.includes("\\") ? `E'${quoted.replaceAll("\\", "\\\\")}'` : `'${quoted}'`
}

/** The job queue's schema is this one's with a suffix, and may have 50 characters. */
const SCHEMA_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,44}$/

/** Checks the name of the schema all tables live in. Throws a `RangeError` that says what is allowed. */
export const checkSchemaName = (name: string): string => {
  if (!SCHEMA_NAME.test(name) || /^pg_/i.test(name)) {
    throw new RangeError(
      `"${name}" cannot name the database schema. Use 1 to 45 letters, digits and underscores, not beginning with a digit or "pg_".`
    )
  }
  return name
}
