export { openDocumentParser, type OpenDocumentParser } from "./openDocumentParser.ts"
export { DEFAULT_PARSER_LIMITS, type ParserLimits } from "./ParserLimits.ts"
export { WorkerDocumentParser } from "./WorkerDocumentParser.ts"
