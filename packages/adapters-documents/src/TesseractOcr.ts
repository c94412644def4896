import { loadPackage, Ocr, OcrFailed, type OcrService } from "@parley/core/adapter"
import { Effect, Layer, Semaphore } from "effect"

export interface TesseractOptions {
  /** Folder of the language data, `eng.traineddata` and so on, packed by gzip (`.gz`) or not. Nothing is fetched. */
  readonly dataFolder: string
  /** By the names of their files: `eng`, `deu`. */
  readonly languages: readonly [string, ...ReadonlyArray<string>]
  /** The language data are packed: `eng.traineddata.gz`. */
  readonly packed?: boolean
}

/** The used part of tesseract.js. */
interface TesseractWorker {
  recognize(image: Uint8Array): Promise<{ readonly data: { readonly text: string } }>
  terminate(): Promise<unknown>
}
interface Tesseract {
  createWorker(languages: ReadonlyArray<string>, engine: number, options: object): Promise<TesseractWorker>
}

/** Not installed with this package, and so not known to its types. */
const PACKAGE: string = "tesseract.js"
/** Its neural engine (`OEM.LSTM_ONLY`). */
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
 * Recognises text with tesseract.js, in a thread of its own, one picture at a time, without any network. The package is an
 * optional one: install it beside this one. It is loaded with the first scan.
 */
export const TesseractOcr = {
  layer: (options: TesseractOptions): Layer.Layer<never> => Layer.effect(Ocr, make(options))
}
