/** Splits words of a language into stems with their positions, without stop words. */
export const stemsOf = (schema: string, language: string, words: string): string =>
  `to_tsvector(${schema}.text_configuration(${language})::regconfig, ${words})`

/** `foldedTerm` of the core: a stem without the marks on its letters. */
export const termOf = (schema: string, stem: string): string => `${schema}.folded_term(${stem})`
