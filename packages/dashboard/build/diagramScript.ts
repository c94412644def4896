import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Plugin } from "vite"

const NAME = "diagram/mermaid.js"

/** Adds the script that draws diagrams to the build, as the frame of `public/diagram` loads it. */
export const diagramScript = (): Plugin => {
  const source = () => readFileSync(createRequire(import.meta.url).resolve("@mermaid-js/tiny/dist/mermaid.tiny.js"))
  return {
    name: "diagram-script",
    configureServer: (server) => {
      server.middlewares.use(`/${NAME}`, (_request, response) => {
        response.setHeader("content-type", "text/javascript").end(source())
      })
    },
    generateBundle() {
      this.emitFile({ type: "asset", fileName: NAME, source: source() })
    }
  }
}
