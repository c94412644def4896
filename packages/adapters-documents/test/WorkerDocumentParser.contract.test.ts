import { documentParserContract } from "@parley/core/testing"
import { WorkerDocumentParser } from "../src/index.ts"
import { BROKEN_DOCUMENTS } from "./fixtures/brokenDocuments.ts"
import { SAMPLE_DOCUMENTS } from "./fixtures/sampleDocuments.ts"

documentParserContract("worker processes", WorkerDocumentParser.layer(), {
  readable: SAMPLE_DOCUMENTS,
  unreadable: BROKEN_DOCUMENTS
})
