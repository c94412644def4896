import { readdirSync, readFileSync, statSync } from "node:fs"
import { join, relative, sep } from "node:path"

/** One TypeScript source; `path` is relative to the repository root, with forward slashes. */
export interface SourceFile {
  readonly path: string
  readonly text: string
}

/** The fields of a `package.json` that the rules read. */
export interface Manifest {
  readonly name: string
  readonly exports?: Readonly<Record<string, unknown>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

/** A package of this repository: its folder relative to the root, its manifest and everything under `src` and `app`. */
export interface WorkspacePackage {
  readonly folder: string
  readonly manifest: Manifest
  readonly sources: ReadonlyArray<SourceFile>
}

const filesBelow = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name))

const isSource = (path: string): boolean => /\.(ts|tsx|mts)$/.test(path) && !path.endsWith(".d.ts")

const exists = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined

const readPackage = (root: string, folder: string): WorkspacePackage => {
  const sourceFolders = ["src", "app"].map((name) => join(root, folder, name)).filter(exists)
  const paths = sourceFolders.flatMap(filesBelow).filter(isSource)
  return {
    folder,
    manifest: JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as Manifest,
    sources: paths.map((path) => ({
      path: relative(root, path).split(sep).join("/"),
      text: readFileSync(path, "utf8")
    }))
  }
}

/** Reads every package under `packages` and `examples` of the repository at `root`. */
export const readWorkspace = (root: string): ReadonlyArray<WorkspacePackage> =>
  ["packages", "examples"]
    .filter((parent) => exists(join(root, parent)))
    .flatMap((parent) => readdirSync(join(root, parent)).map((name) => `${parent}/${name}`))
    .filter((folder) => exists(join(root, folder, "package.json")))
    .map((folder) => readPackage(root, folder))
