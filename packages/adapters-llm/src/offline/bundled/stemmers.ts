import { stemmer as danish } from "@orama/stemmers/danish"
import { stemmer as dutch } from "@orama/stemmers/dutch"
import { stemmer as english } from "@orama/stemmers/english"
import { stemmer as finnish } from "@orama/stemmers/finnish"
import { stemmer as french } from "@orama/stemmers/french"
import { stemmer as german } from "@orama/stemmers/german"
import { stemmer as italian } from "@orama/stemmers/italian"
import { stemmer as norwegian } from "@orama/stemmers/norwegian"
import { stemmer as portuguese } from "@orama/stemmers/portuguese"
import { stemmer as russian } from "@orama/stemmers/russian"
import { stemmer as spanish } from "@orama/stemmers/spanish"
import { stemmer as swedish } from "@orama/stemmers/swedish"
import type { Language } from "@parley/core/adapter"

/**
 * The Snowball stemmer of each language. In the published package, `tooling/bundleModule.mjs` puts the code of these
 * twelve into this file, because the package of the stemmers contains thirty, with source maps, in 3.5 MB.
 */
export const STEMMERS: Readonly<Record<Language, (word: string) => string>> = {
  da: danish,
  de: german,
  en: english,
  es: spanish,
  fi: finnish,
  fr: french,
  it: italian,
  nl: dutch,
  no: norwegian,
  pt: portuguese,
  ru: russian,
  sv: swedish
}
