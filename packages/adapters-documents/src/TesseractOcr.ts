import { loadPackage, Ocr, OcrFailed, type OcrService } from "@parley/core/adapter"
import { Effect, Layer, Semaphore } from "effect"

export interface TesseractOptions {
  /**
   * The folder of the language data, such as `eng.traineddata` or, packed with gzip, `eng.traineddata.gz`. No language
   * data are downloaded.
   */
  readonly dataFolder: string
  /** The languages, named by their data files: `eng`, `deu`. */
  readonly languages: readonly [string, ...ReadonlyArray<string>]
  /** True if the language data are packed with gzip: `eng.traineddata.gz`. */
  readonly packed?: boolean
}

/** The part of tesseract.js that this module uses. */
interface TesseractWorker {
  recognize(image: Uint8Array): Promise<{ readonly data: { readonly text: string } }>
  terminate(): Promise<unknown>
}
interface Tesseract {
  createWorker(languages: ReadonlyArray<string>, engine: number, options: object): Promise<TesseractWorker>
}

/** The name is a variable, because the optional package may be missing when the types are checked. */
const PACKAGE: string = "tesseract.js"
/** The neural engine of tesseract.js (`OEM.LSTM_ONLY`). */
const ENGINE = 1

const failing = <A>(run: () => Promise<A>) =>
  Effect.tryPromise({ try: run, catch: (cause) => new OcrFailed({ cause }) })

const load = ({ dataFolder, languages, packed = false }: TesseractOptions) =>
  failing(async () => {
    const loaded = (await loadPackage(PACKAGE, () => import(PACKAGE))) as Tesseract & { readonly default?: Tesseract }
    const { createWorker } = loaded.default ?? loaded
    return createWorker(languages, ENGINE, { langPath: dataFolder, gzip: packed, cacheMethod: "none" })
  })

const make = (options: TesseractOptions) =>
  Effect.gen(function* () {
    const one = yield* Semaphore.make(1)
    let worker: TesseractWorker | undefined
    const taken = Effect.suspend(() =>
      worker === undefined
        ? Effect.tap(load(options), (made) => Effect.sync(() => void (worker = made)))
        : Effect.succeed(worker)
    )
    yield* Effect.addFinalizer(() => Effect.promise(async () => void (await worker?.terminate())))
    const recognise: OcrService["recognise"] = ({ png }) =>
      one.withPermits(1)(
        Effect.flatMap(taken, (tesseract) =>
          Effect.map(
            failing(() => tesseract.recognize(png)),
            ({ data }) => data.text
          )
        )
      )
    return { recognise } satisfies OcrService
  })

/**
 * Recognises text with tesseract.js in a thread of its own, one picture at a time, without network access. The package
 * tesseract.js is optional: install it in addition to this package. It is loaded for the first scan.
 */
export const TesseractOcr = {
  layer: (options: TesseractOptions): Layer.Layer<never> => Layer.effect(Ocr, make(options))
}
