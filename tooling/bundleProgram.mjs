/**
 * Bundles the `parley` program in this repository, unless a bundle of the current sources exists: Parley's packages and
 * Effect, about a thousand modules, become about sixty files, which a server loads in half the time. All other packages
 * are loaded from node_modules. The bundle is never published: published packages run their compiled files.
 *
 * `packages/cli/bin/program.js` decides at each start if a bundle matches the current sources, by a hash of all files
 * from which it was built. Without a matching bundle the program runs from the sources.
 *
 * Usage: node tooling/bundleProgram.mjs [--if-possible] (at every install, in `npm run build`, and before tests). With
 * `--if-possible` a failure prints a sentence on stderr, and the exit code is 0.
 */
import { readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { findPackageJSON } from "node:module"
import { isAbsolute, join, relative } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { BUILT, BUNDLES, freshBundle, hashOfFiles } from "../packages/cli/bin/program.js"

/** The number of older builds that are kept, because running servers still load parts of them. */
const KEPT = 2

const isOwn = (path) => /\/packages\/[^/]+\/src\//.test(path)
const isEffect = (path) => /\/node_modules\/effect\/dist\//.test(path)

/** The import specifier with which a file in `folder` imports the file `path`. */
const wayTo = (folder, path) => {
  const way = relative(folder, path).replaceAll("\\", "/")
  return way.startsWith(".") ? way : `./${way}`
}

/**
 * Keeps the addresses of the source files in the bundled modules, which find migrations, pages and the entries of
 * threads beside their sources by them.
 */
const ownAddresses = (outDir) => ({
  name: "own-addresses",
  transform(code, path) {
    if (!isOwn(path) || !code.includes("import.meta.url")) return undefined
    const address = `new URL(${JSON.stringify(wayTo(outDir, path))}, import.meta.url).href`
    return { code: code.replaceAll("import.meta.url", address), map: null }
  },
  renderChunk(code, { fileName }) {
    const more = /import\.meta\.(?:resolve|dirname|filename|main)\b/.exec(code)
    if (more !== null) throw new Error(`${fileName}: ${more[0]} would be answered for the bundle, not for its source.`)
  }
})

/**
 * Leaves all packages except Parley's and Effect outside the bundle, and resolves each in the version that its importer
 * uses. `optional` packages keep their names, so that the error for a missing package names it.
 */
const installedPackages = (optional, outDir, read) => ({
  name: "installed-packages",
  enforce: "pre",
  async resolveId(name, importer, options) {
    if (importer === undefined || name.startsWith(".") || isAbsolute(name) || name.startsWith("\0")) return null
    if (name.startsWith("node:") || optional.includes(name)) return { id: name, external: true }
    const found = await this.resolve(name, importer, { ...options, skipSelf: true })
    if (found === null) throw new Error(`${importer} imports ${name}, which is not installed.`)
    if (isOwn(found.id) || isEffect(found.id)) return found
    read(findPackageJSON(pathToFileURL(found.id)))
    return { id: wayTo(outDir, found.id), external: true }
  }
})

/**
 * Reads every module, also those without a part in the bundle, and stores the contents in `read`. If a file is edited
 * during the build, the bundle is thereby recorded with the contents from which it was built.
 */
const sourcesRead = (read) => ({
  name: "sources-read",
  enforce: "pre",
  load(path) {
    if (!isAbsolute(path)) return null
    read(findPackageJSON(pathToFileURL(path)))
    return read(path)
  }
})

/**
 * Bundles the package in `folder` into `outDir`. Returns the content of each file on which the bundle depends, by path.
 */
const bundle = async (folder, outDir) => {
  const texts = new Map()
  const read = (path) => texts.get(path) ?? texts.set(path, readFileSync(path, "utf8")).get(path)
  const ownFiles = ["package.json", "../../package-lock.json"].map((path) => join(folder, path))
  for (const path of [...ownFiles, fileURLToPath(import.meta.url)]) read(path)
  const peers = Object.keys(JSON.parse(read(ownFiles[0])).peerDependencies ?? {})
  const optional = peers.filter((name) => !name.startsWith("@parley/"))
  const conditions = ["@parley/source", "module", "node"]
  const { build } = await import("vite")
  await build({
    configFile: false,
    logLevel: "warn",
    root: folder,
    plugins: [sourcesRead(read), installedPackages(optional, outDir, read), ownAddresses(outDir)],
    ssr: { noExternal: true, resolve: { conditions } },
    build: {
      ssr: join(folder, "src/main.ts"),
      outDir,
      target: "esnext",
      minify: false,
      rolldownOptions: { output: { entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js" } }
    }
  })
  return new Map([...texts].map(([path, text]) => [wayTo(folder, path), text]))
}

/**
 * Bundles the command's package if there is no bundle of its current sources. Returns true if it made a bundle.
 * `packageFolder` (a URL) is that package's folder in a repository with this layout.
 */
export const bundleProgram = async (packageFolder = new URL("../packages/cli/", import.meta.url)) => {
  if (freshBundle(packageFolder) !== undefined) return false
  const folder = fileURLToPath(packageFolder)
  const bundles = join(folder, BUNDLES)
  const name = `${Date.now().toString(36)}-${process.pid}`
  const texts = await bundle(folder, join(bundles, name))
  const files = [...texts.keys()]
  const made = readdirSync(join(bundles, name), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path: relative(bundles, path).replaceAll("\\", "/"), bytes: statSync(path).size }))
  const hash = hashOfFiles(files, (path) => texts.get(path))
  const built = { entry: `${name}/main.js`, files, hash, made }
  writeFileSync(join(bundles, name, BUILT), JSON.stringify(built))
  renameSync(join(bundles, name, BUILT), join(bundles, BUILT))
  const older = readdirSync(bundles).filter((each) => each !== BUILT && each < name)
  for (const each of older.toSorted().slice(0, -KEPT)) rmSync(join(bundles, each), { recursive: true, force: true })
  return true
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  await bundleProgram().catch((error) => {
    if (!process.argv.includes("--if-possible")) throw error
    console.error("The program was not bundled: each start will take some tenths of a second longer.")
  })
}
