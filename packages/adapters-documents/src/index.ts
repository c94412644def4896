export { openDocumentParser, type OpenDocumentParser } from "./openDocumentParser.ts"
export { parserFences, type ParserFences } from "./process/fences.ts"
export { DEFAULT_PARSER_LIMITS, type ParserLimits } from "./ParserLimits.ts"
export { WorkerDocumentParser } from "./WorkerDocumentParser.ts"
