import { existsSync, readFileSync, realpathSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** What the parsers import from other packages. */
const PARSER_PACKAGES = ["htmlparser2", "mammoth", "numfmt", "unpdf"]

/** Where Node finds a package from a folder: in `node_modules` there, or in a folder above. It may be a link. */
const packageFolder = (name: string, from: string): string | undefined => {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, "node_modules", name)
    if (existsSync(join(candidate, "package.json"))) return candidate
    if (folder === dirname(folder)) return undefined
  }
}

const dependenciesOf = (folder: string): ReadonlyArray<string> => {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    readonly dependencies?: Readonly<Record<string, string>>
  }
  return Object.keys(manifest.dependencies ?? {})
}

let found: ReadonlyArray<string> | undefined

/** The files a parser process may read: our own sources, and the packages that the parsers are made of. */
export const readableFolders = (): ReadonlyArray<string> => {
  if (found !== undefined) return found
  const sources = dirname(dirname(realpathSync(fileURLToPath(import.meta.url))))
  const packages = new Set<string>()
  const visit = (name: string, from: string) => {
    const folder = packageFolder(name, from)
    if (folder === undefined || packages.has(folder)) return
    const target = realpathSync(folder)
    packages.add(folder).add(target)
    for (const dependency of dependenciesOf(target)) visit(dependency, target)
  }
  for (const name of PARSER_PACKAGES) visit(name, sources)
  return (found = [sources, join(dirname(sources), "package.json"), ...packages])
}
