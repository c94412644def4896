import react from "@vitejs/plugin-react"
import { defineConfig } from "vite"
import { compressedFiles } from "./build/compressedFiles.ts"
import { diagramScript } from "./build/diagramScript.ts"
import { formulaFonts } from "./build/formulaFonts.ts"
import { pdfFiles } from "./build/pdfFiles.ts"
import { themeStyles } from "./build/themeStyles.ts"

/** The address of a running server for `npm run dev`. */
const SERVER = process.env["PARLEY_SERVER_URL"] ?? "http://127.0.0.1:3000"

const toServer = { target: SERVER, changeOrigin: true }

/** `npm run build` makes `dist-app` of `app`; `npm run dev` serves `app` with hot reloading, and the rest by a server that runs. */
export default defineConfig({
  root: import.meta.dirname + "/app",
  base: "/",
  publicDir: import.meta.dirname + "/app/public",
  plugins: [react(), themeStyles(), diagramScript(), formulaFonts(), pdfFiles(), compressedFiles()],
  resolve: { conditions: ["@parley/source", "module", "browser", "production"] },
  build: {
    outDir: "../dist-app",
    emptyOutDir: true,
    target: "es2022",
    // Nothing inline: the page's policy refuses it.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: "manifest.json",
    chunkSizeWarningLimit: 1_000
  },
  server: { proxy: { "/api": toServer, "/dev": toServer, "/dashboard.json": toServer } }
})
