/**
 * Copies the character maps of pdf.js into the package that reads PDFs (`packages/adapters-documents/character-maps`),
 * which publishes them: PDFs in Chinese, Japanese and Korean name these maps without containing them. Runs at every
 * install.
 */
import { cpSync, existsSync, rmSync } from "node:fs"
import { fileURLToPath } from "node:url"

const from = fileURLToPath(new URL("../node_modules/pdfjs-dist/cmaps", import.meta.url))
const to = fileURLToPath(new URL("../packages/adapters-documents/character-maps", import.meta.url))

if (existsSync(from)) {
  rmSync(to, { recursive: true, force: true })
  cpSync(from, to, { recursive: true })
}
