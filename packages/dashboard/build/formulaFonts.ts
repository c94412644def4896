import type { Plugin } from "vite"

/** KaTeX' formats other than WOFF2: browsers without WOFF2 are older than the supported ones. */
const OLDER_FORMATS = /,\s*url\([^)]+\)\s*format\("(?:woff|truetype)"\)/g

/** Keeps one format of the fonts for formulas; KaTeX' styles name three for each. */
export const formulaFonts = (): Plugin => ({
  name: "formula-fonts",
  enforce: "pre",
  transform: (code, id) => (id.endsWith("/katex.css") ? code.replaceAll(OLDER_FORMATS, "") : undefined)
})
