/** The part of `@parley/core/adapter` for documents. */

export { DOCUMENT_STATUSES, type DocumentKey, type FoundPassage, type Passage } from "./Document.ts"
export { InMemoryPassageIndex } from "./indexing/InMemoryPassageIndex.ts"
export {
  type IndexedBy,
  type IndexedDocument,
  type Indexing,
  isIndexedBy,
  PassageIndex,
  type SearchInput,
  type SpreadInput
} from "./indexing/PassageIndex.ts"
export {
  type AddedPassages,
  type BeginGeneration,
  type BegunGeneration,
  type Generation,
  GenerationGone,
  NOTHING_EMBEDDED,
  type PutDocument
} from "./indexing/PassageWriter.ts"
export {
  RERANKED,
  RerankFailed,
  type RerankInput,
  Reranker,
  type RerankerService,
  rerankFound
} from "./searching/Reranker.ts"
export { BM25 } from "./searching/relevantPassages.ts"
export { knownWeightOf } from "./embedding/knownWeights.ts"
export {
  CONVERTED_DOCUMENT_TYPES,
  DOCUMENT_TYPES,
  DOCUMENT_TYPE_TABLE,
  PARSED_DOCUMENT_TYPES,
  type ParserKind,
  documentType
} from "./documentTypes.ts"
export {
  Embedder,
  type EmbedderLimits,
  type Embedding,
  EMBEDDING_FAILURES,
  EmbeddingFailed,
  type EmbeddingFailure,
  type EmbeddingResult,
  PassageEmbedder
} from "./embedding/Embedder.ts"
export {
  type InMemoryEmbedderOptions,
  inMemoryEmbedderLayer,
  makeInMemoryEmbedder
} from "./embedding/InMemoryEmbedder.ts"
export { type EmbedBatches, embedBatches } from "./embedding/embedBatches.ts"
export {
  type EmbedTexts,
  embedQuery,
  embedTexts,
  embeddedText,
  embeddingModel,
  requestsOf
} from "./embedding/embedPassages.ts"
export { FileRejected, fileTooLarge } from "./errors.ts"
export { makeInMemoryMalwareScanner, malwareTestText } from "./storing/InMemoryMalwareScanner.ts"
export {
  type MalwareScan,
  MalwareScanner,
  SCAN_FAILURES,
  ScannerUnavailable,
  type ScanVerdict
} from "./storing/MalwareScanner.ts"
export {
  FEEDBACK,
  type FeedbackCandidate,
  type FeedbackStatistics,
  feedbackScores
} from "./searching/relevantPassages.ts"
export { type Crowd, FUSION, type FusedCandidate, fusedScores } from "./searching/relevantPassages.ts"
export { cutPassages } from "./indexing/cutPassages.ts"
export { type ExcerptInput, excerptOf } from "./indexing/excerpt.ts"
export { type IndexDocument, indexDocument, INDEXING_VERSION, PASSAGES_PER_BATCH } from "./indexing/indexDocument.ts"
export { type IndexedAlike, type ReindexFailure, ReindexRecords } from "./indexing/reindexing/ReindexRecords.ts"
export { type ReindexClaim, type ReindexRun, ReindexStore } from "./indexing/reindexing/ReindexStore.ts"
export { type PassageProblem, verifyPassages } from "./indexing/verifyPassages.ts"
export { FUNCTION_WORDS, LANGUAGES, type Language } from "./searching/functionWords.ts"
export {
  accentedWords,
  foldedTerm,
  passageWords,
  plainTerm,
  plainWord,
  searchableQuery,
  searchableText
} from "./searching/searchTerms.ts"
export {
  DOCUMENT_FAILURES,
  type DocumentFailure,
  DocumentParser,
  DocumentUnreadable,
  mayBeReadAgain,
  type ParsedDocument
} from "./reading/DocumentParser.ts"
export { DocumentRequeue } from "./reading/DocumentRequeue.ts"
export { Ocr, OcrFailed, type OcrService, type ScannedPicture } from "./reading/Ocr.ts"
export { ProcessDocument } from "./reading/processDocument.ts"
export { PassageWriter } from "./indexing/PassageWriter.ts"
export { RELEVANCE, relevantPassages } from "./searching/relevantPassages.ts"
export { SEARCH_LANGUAGES, type SearchLanguage, searchLanguageOf, shownLanguageOf } from "./searching/searchLanguage.ts"
export {
  type DocumentChange,
  type DocumentPage,
  type DocumentQuota,
  DocumentStore,
  type Inserted
} from "./storing/DocumentStore.ts"
export { FileMover } from "./storing/FileMover.ts"
export { FileStore, type FilesMoved, NOTHING_MOVED } from "./storing/FileStore.ts"
export { InMemoryDocumentStore } from "./storing/InMemoryDocumentStore.ts"
export { ObjectStore, type Objects } from "./storing/FileStore.ts"
