/** The part of `@parley/core/adapter` for documents. */

export { DOCUMENT_STATUSES, type DocumentKey, type FoundPassage, type Passage } from "./Document.ts"
export { InMemoryPassageIndex } from "./indexing/InMemoryPassageIndex.ts"
export {
  type AddedPassages,
  type BeginGeneration,
  type BegunGeneration,
  type Generation,
  GenerationGone,
  type IndexedDocument,
  NOTHING_EMBEDDED,
  PassageIndex,
  type PutDocument,
  type SearchInput
} from "./indexing/PassageIndex.ts"
export {
  RERANKED_SHARE,
  RerankFailed,
  type RerankInput,
  Reranker,
  type RerankerService,
  rerankFound
} from "./searching/Reranker.ts"
export { BM25 } from "./searching/bm25.ts"
export {
  DOCUMENT_TYPES,
  DOCUMENT_TYPE_TABLE,
  PARSED_DOCUMENT_TYPES,
  type ParserKind,
  documentType
} from "./documentTypes.ts"
export {
  EMBEDDING_FAILURES,
  Embedder,
  type EmbedderLimits,
  type Embedding,
  EmbeddingFailed,
  type EmbeddingFailure,
  type EmbeddingResult
} from "./embedding/Embedder.ts"
export {
  type InMemoryEmbedderOptions,
  inMemoryEmbedderLayer,
  makeInMemoryEmbedder
} from "./embedding/InMemoryEmbedder.ts"
export { PassageEmbedder } from "./embedding/PassageEmbedder.ts"
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
export {
  FEEDBACK,
  type FeedbackCandidate,
  type FeedbackStatistics,
  feedbackScores
} from "./searching/relevanceFeedback.ts"
export { foldedTerm } from "./searching/languages/foldedTerm.ts"
export { type Crowd, FUSION, type FusedCandidate, fusedScores } from "./searching/fuseScores.ts"
export { type IndexedBy, type Indexing, isIndexedBy } from "./indexing/IndexedBy.ts"
export { cutPassages } from "./indexing/cutPassages.ts"
export { type ExcerptInput, excerptOf } from "./indexing/excerpt.ts"
export { type IndexDocument, PASSAGES_PER_BATCH, indexDocument } from "./indexing/indexDocument.ts"
export { type ReindexClaim, type ReindexRun, ReindexStore } from "./indexing/reindexing/ReindexStore.ts"
export { INDEXING_VERSION } from "./indexing/textFingerprint.ts"
export { type PassageProblem, verifyPassages } from "./indexing/verifyPassages.ts"
export { FUNCTION_WORDS, LANGUAGES, type Language, languageOf } from "./searching/languages/languageOf.ts"
export { passageWords } from "./searching/passageWords.ts"
export { accentedWords, plainTerm, plainWord } from "./searching/languages/plainWords.ts"
export { DOCUMENT_FAILURES, type DocumentFailure, mayBeReadAgain } from "./reading/DocumentFailure.ts"
export { DocumentParser, DocumentUnreadable, type ParsedDocument } from "./reading/DocumentParser.ts"
export { DocumentRequeue } from "./reading/DocumentRequeue.ts"
export { Ocr, OcrFailed, type OcrService, type ScannedPicture } from "./reading/Ocr.ts"
export { ProcessDocument } from "./reading/processDocument.ts"
export { RELEVANCE, relevantPassages } from "./searching/relevance/relevantPassages.ts"
export { SEARCH_LANGUAGES, type SearchLanguage, searchLanguageOf } from "./searching/languages/searchLanguage.ts"
export { searchableQuery, searchableText } from "./searching/searchableText.ts"
export { type DocumentChange, type DocumentQuota, DocumentStore, type Inserted } from "./storing/DocumentStore.ts"
export { FileMover } from "./storing/FileMover.ts"
export { FileStore, type FilesMoved, NOTHING_MOVED } from "./storing/FileStore.ts"
export { InMemoryDocumentStore } from "./storing/InMemoryDocumentStore.ts"
export { ObjectStore, type Objects } from "./storing/ObjectStore.ts"
