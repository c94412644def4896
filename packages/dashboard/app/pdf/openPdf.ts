import { getDocument, GlobalWorkerOptions, type PDFDocumentProxy } from "pdfjs-dist"
// The bundler gives the address of its copy.
// oxlint-disable-next-line import/default
import workerAddress from "pdfjs-dist/build/pdf.worker.min.mjs?url"

/** The address of the files that pdf.js loads on demand; the build sets it. */
declare const __PDF_FILES__: string

GlobalWorkerOptions.workerSrc = workerAddress

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL: (address: string) => string | null }): unknown
}

// pdf.js passes the worker's address to `Worker` as a text. The page's policy refuses this for every address but that
// one.
;(globalThis as { readonly trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy("default", {
  createScriptURL: (address) => (address === workerAddress ? address : null)
})

export interface OpenedPdf {
  readonly document: Promise<PDFDocumentProxy>
  readonly close: () => void
}

/** Opens a pdf. A worker parses it; scripts in it never run, and its forms and links are not created. */
export const openPdf = (address: string): OpenedPdf => {
  const task = getDocument({
    url: address,
    cMapUrl: `${__PDF_FILES__}cmaps/`,
    cMapPacked: true,
    standardFontDataUrl: `${__PDF_FILES__}standard_fonts/`,
    iccUrl: `${__PDF_FILES__}iccs/`,
    wasmUrl: `${__PDF_FILES__}wasm/`,
    useWasm: false,
    enableXfa: false,
    // Range requests are disabled, so that pdf.js reads the whole file with one request.
    disableRange: true
  })
  return { document: task.promise, close: () => void task.destroy() }
}
