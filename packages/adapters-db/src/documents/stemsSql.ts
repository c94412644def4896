import { plainTerm, type SearchLanguage } from "@parley/core/adapter"

/** Postgres' text search configuration of each language: those of every Postgres 17. */
const CONFIGURATIONS: Readonly<Record<SearchLanguage, string>> = {
  ar: "arabic",
  ca: "catalan",
  da: "danish",
  de: "german",
  el: "greek",
  en: "english",
  es: "spanish",
  eu: "basque",
  fi: "finnish",
  fr: "french",
  ga: "irish",
  hi: "hindi",
  hu: "hungarian",
  hy: "armenian",
  id: "indonesian",
  it: "italian",
  lt: "lithuanian",
  nl: "dutch",
  no: "norwegian",
  pt: "portuguese",
  ro: "romanian",
  ru: "russian",
  sr: "serbian",
  sv: "swedish",
  ta: "tamil",
  tr: "turkish"
}

/** The configuration of a language as a parameter; English for a language of another version. */
export const textConfiguration = (language: string): string =>
  `pg_catalog.${(CONFIGURATIONS as Readonly<Record<string, string>>)[language] ?? "english"}`

/** The same of a column that has the language. */
export const configurationOf = (column: string): string => {
  const cases = Object.keys(CONFIGURATIONS).map(
    (language) => `WHEN '${language}' THEN '${textConfiguration(language)}'`
  )
  return `CASE ${column} ${cases.join(" ")} ELSE '${textConfiguration("en")}' END`
}

/** Splits words of a configuration into stems with their positions, without stop words. */
export const stemsOf = (configuration: string, words: string): string =>
  `to_tsvector(${configuration}::text::regconfig, ${words})`

/** `foldedTerm` of the core: a stem without the marks on its letters. */
export const termOf = (stem: string): string =>
  `CASE WHEN octet_length(${stem}) = length(${stem}) THEN ${stem} ELSE
    normalize(regexp_replace(normalize(${stem}, NFD), '[\\u0300-\\u036f]+', '', 'g'), NFC) END`

/** `plainTerm` of the core of a column. */
export const plainTermOf = (term: string): string => `'${plainTerm("")}' || ${term}`
