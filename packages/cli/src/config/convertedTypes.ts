import type { DocumentType, ParleySettings } from "@parley/core"
import { CONVERTED_DOCUMENT_TYPES, PARSED_DOCUMENT_TYPES } from "@parley/core/adapter"
import type { EnvironmentReader } from "./EnvironmentReader.ts"

/**
 * Adds the document types that LibreOffice converts to the accepted types, if LibreOffice is configured and the
 * settings name no types.
 */
export const withConvertedTypes = (
  settings: ParleySettings,
  libreOffice: string | undefined,
  read: EnvironmentReader
): ParleySettings => {
  const { types } = settings.uploads ?? {}
  const isConverted = (type: DocumentType) => CONVERTED_DOCUMENT_TYPES.includes(type)
  if (libreOffice === undefined) {
    if (types?.some(isConverted) === true) {
      read.problem("PARLEY_UPLOAD_TYPES", `with ${CONVERTED_DOCUMENT_TYPES.join(", ")} needs PARLEY_LIBREOFFICE`)
    }
    return settings
  }
  const accepted = types ?? [...PARSED_DOCUMENT_TYPES, ...CONVERTED_DOCUMENT_TYPES]
  return { ...settings, uploads: { ...settings.uploads, types: accepted } }
}
