/**
 * Stores a corpus in an empty database, in a process of its own so that its memory can be measured. Its argument is the
 * JSON of `IngestTask`, and it prints `IngestFigures` as JSON.
 */
import { CONTENDERS, type ContenderName } from "./contenders.ts"
import { type CorpusShape, makeCorpus } from "./corpus.ts"

export interface IngestTask {
  readonly contender: ContenderName
  readonly url: string
  readonly rivals: string
  readonly dimensions: number
  readonly shape: CorpusShape
  readonly seed: number
  /** True if the rows of documents are stored before the measured time, as when a worker indexes uploaded documents. */
  readonly uploaded: boolean
}

export interface IngestFigures {
  readonly seconds: number
  /**
   * The memory of the whole process with libraries and corpus: the highest value, and the value before the first
   * passage was stored.
   */
  readonly peakMegabytes: number
  readonly idleMegabytes: number
}

const megabytes = (kibibytes: number): number => Math.round(kibibytes / 1024)

const { contender, dimensions, rivals, seed, shape, uploaded, url }: IngestTask = JSON.parse(process.argv[2] ?? "{}")
const corpus = makeCorpus(shape, seed)
const store = await CONTENDERS[contender]({ url, dimensions, rivals })
if (uploaded) for (const document of corpus) await store.upload?.(document)
const idleMegabytes = megabytes(process.resourceUsage().maxRSS)
const begun = performance.now()
for (const document of corpus) {
  if (!uploaded) await store.upload?.(document)
  await store.ingest(document)
}
const seconds = (performance.now() - begun) / 1000
const figures: IngestFigures = { seconds, peakMegabytes: megabytes(process.resourceUsage().maxRSS), idleMegabytes }
await store.close()
console.log(JSON.stringify(figures))
