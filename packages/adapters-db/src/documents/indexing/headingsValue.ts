import type { Heading } from "@parley/core/reading"

/** Headings as a parameter of type jsonb. */
export const headingsValue = (headings: ReadonlyArray<Heading> | undefined): string | null =>
  headings === undefined || headings.length === 0 ? null : JSON.stringify(headings)

/** A column of headings as a field that is absent where there are none. */
export const headingsField = (column: ReadonlyArray<Heading> | null): { readonly headings?: ReadonlyArray<Heading> } =>
  column === null ? {} : { headings: column }
