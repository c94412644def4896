/**
 * Serves the dashboard with hot reloading; with `--gallery` it serves the page of all shared components instead. All
 * other options are Vite's.
 */
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const folder = fileURLToPath(new URL("../packages/dashboard/", import.meta.url))
const vite = join(dirname(createRequire(import.meta.url).resolve("vite/package.json")), "bin/vite.js")
const given = process.argv.slice(2)
const options = given.filter((option) => option !== "--gallery")
const root = join(folder, options.length < given.length ? "gallery" : "app")

process.argv = [...process.argv.slice(0, 1), vite, root, "--config", join(folder, "vite.config.ts"), ...options]
await import(pathToFileURL(vite).href)
