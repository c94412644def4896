import { getDocument, GlobalWorkerOptions, type PDFDocumentProxy } from "pdfjs-dist"
// The bundler gives the address of its copy.
// oxlint-disable-next-line import/default
import workerAddress from "pdfjs-dist/build/pdf.worker.min.mjs?url"

/** The address of the files that pdf.js loads on demand, set by the build. */
declare const __PDF_FILES__: string

GlobalWorkerOptions.workerSrc = workerAddress

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL: (address: string) => string | null }): unknown
}

// pdf.js passes an address as text to `Worker`. The page's policy refuses that for all other addresses.
;(globalThis as { readonly trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy("default", {
  createScriptURL: (address) => (address === workerAddress ? address : null)
})

export interface OpenedPdf {
  readonly document: Promise<PDFDocumentProxy>
  readonly close: () => void
}

/** Opens a pdf. It is read in a worker; nothing in it runs, and no form or link of it is made. */
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
    // The server does not serve ranges.
    disableRange: true
  })
  return { document: task.promise, close: () => void task.destroy() }
}
