import type { Plugin } from "vite"

/** What KaTeX offers beside WOFF2: browsers that lack it are older than any the build is for. */
const OLDER_FORMATS = /,\s*url\([^)]+\)\s*format\("(?:woff|truetype)"\)/g

/** Leaves the fonts of formulas in the build in one format, where KaTeX' styles name each in three. */
export const formulaFonts = (): Plugin => ({
  name: "formula-fonts",
  enforce: "pre",
  transform: (code, id) => (id.endsWith("/katex.css") ? code.replaceAll(OLDER_FORMATS, "") : undefined)
})
