import { posix } from "node:path"
import { COMPUTED_IMPORT, type Reference, referencesOf } from "./references.ts"
import {
  aboveDomains,
  ambientGlobals,
  ambientHomes,
  ambientMembers,
  arrows,
  computedImportHomes,
  coreDomains,
  coreSources,
  coreDependencies,
  corePackage,
  coreTestingDependencies,
  coreTestingFolder,
  emptyNames,
  harmlessMembers,
  remedies,
  type Rule,
  sourceLinesMax
} from "./rules.ts"
import type { Manifest, SourceFile, WorkspacePackage } from "./Workspace.ts"

/** A violation: its place (`line` counts from 1), the rule, and the finding. */
export interface Violation {
  readonly path: string
  readonly line: number
  readonly rule: Rule
  readonly found: string
}

/** The line of a report: place, rule, finding, remedy and the page that explains the rule. */
export const describeViolation = (violation: Violation): string =>
  `${violation.path}:${violation.line} [${violation.rule}] ${violation.found}: ` +
  `${remedies[violation.rule]}; see ARCHITECTURE.md#arrows`

const matches = (name: string, pattern: string): boolean =>
  pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern

const mayImport = (from: string, to: string): boolean =>
  arrows.find((row) => matches(from, row.from))?.to.some((pattern) => matches(to, pattern)) ?? false

const isRelative = (specifier: string): boolean => specifier.startsWith(".") || specifier.startsWith("/")

const packageOf = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/")

const declared = (manifest: Manifest): ReadonlySet<string> =>
  new Set(
    [manifest.dependencies, manifest.peerDependencies, manifest.optionalDependencies].flatMap((names) =>
      Object.keys(names ?? {})
    )
  )

/** True for files that are published as a bundle: their packages are not installed by users. */
const isBundled = (file: SourceFile, owner: WorkspacePackage): boolean =>
  file.path.startsWith(`${owner.folder}/app/`) ||
  (file.path.startsWith(`${owner.folder}/src/`) && file.path.includes("/bundled/"))

const mayUse = (file: SourceFile, owner: WorkspacePackage, name: string): boolean =>
  declared(owner.manifest).has(name) ||
  (isBundled(file, owner) && Object.hasOwn(owner.manifest.devDependencies ?? {}, name))

interface Surroundings {
  readonly owner: WorkspacePackage
  readonly manifests: ReadonlyMap<string, Manifest>
}

const allowedInCore = (file: SourceFile): ReadonlyArray<string> =>
  file.path.startsWith(coreTestingFolder) ? coreTestingDependencies : coreDependencies

const brokenByRelativeImport = (file: SourceFile, specifier: string, owner: WorkspacePackage): ReadonlyArray<Rule> => {
  const target = posix.join(posix.dirname(file.path), specifier)
  return specifier.startsWith(".") && target.startsWith(`${owner.folder}/`) ? [] : ["deep-import"]
}

const brokenByPackageImport = (
  file: SourceFile,
  specifier: string,
  { owner, manifests }: Surroundings
): ReadonlyArray<Rule> => {
  if (specifier === COMPUTED_IMPORT && computedImportHomes.includes(file.path)) return []
  const name = packageOf(specifier)
  const target = manifests.get(name)
  const broken: Array<Rule> = []
  if (target !== undefined && name !== owner.manifest.name) {
    if (!mayImport(owner.manifest.name, name)) broken.push("arrows")
    if (!Object.hasOwn(target.exports ?? {}, `.${specifier.slice(name.length)}`)) broken.push("deep-import")
  }
  if (target === undefined && owner.manifest.name === corePackage && !allowedInCore(file).includes(name)) {
    broken.push("core-dependencies")
  }
  if (!specifier.startsWith("node:") && name !== owner.manifest.name && !mayUse(file, owner, name)) {
    broken.push("undeclared")
  }
  return broken
}

const isAmbientIn =
  (file: SourceFile) =>
  ({ text }: Reference): boolean => {
    const owner = text.split(".")[0] ?? text
    const homes = ambientHomes[file.path] ?? []
    if (harmlessMembers.includes(text) || homes.includes(owner) || homes.includes(text)) return false
    return text === "new Date()" || ambientMembers.includes(text) || ambientGlobals.includes(owner)
  }

const nameViolations = (file: SourceFile): ReadonlyArray<Violation> =>
  file.path
    .split("/")
    .filter((part) => emptyNames.includes(part.replace(/\.[a-z]+$/, "").toLowerCase()))
    .map((part) => ({ path: file.path, line: 1, rule: "empty-name" as const, found: part }))

const lengthViolations = (file: SourceFile): ReadonlyArray<Violation> => {
  const lines = file.text.split("\n").length - (file.text.endsWith("\n") ? 1 : 0)
  return lines > sourceLinesMax
    ? [{ path: file.path, line: sourceLinesMax + 1, rule: "file-length", found: `${lines} lines` }]
    : []
}

const fileViolations = (file: SourceFile, surroundings: Surroundings): ReadonlyArray<Violation> => {
  const { owner } = surroundings
  const references = referencesOf(file)
  const at =
    (rule: Rule) =>
    (reference: Reference): Violation => ({ path: file.path, line: reference.line, rule, found: reference.text })
  const isCore = owner.manifest.name === corePackage && !file.path.startsWith(coreTestingFolder)
  return [
    ...references.errors.map((found) => ({ path: file.path, line: 1, rule: "unreadable" as const, found })),
    ...references.imports.flatMap((reference) =>
      (isRelative(reference.text)
        ? brokenByRelativeImport(file, reference.text, owner)
        : brokenByPackageImport(file, reference.text, surroundings)
      ).map((rule) => at(rule)(reference))
    ),
    ...references.defaultExports.map(at("default-export")),
    ...(isCore ? references.outside.filter(isAmbientIn(file)).map(at("ambient")) : []),
    ...lengthViolations(file),
    ...nameViolations(file)
  ]
}

/** The position of a core file's domain in the order, or undefined if the file is in no domain. */
const domainOf = (path: string): string | undefined => {
  if (!path.startsWith(coreSources)) return undefined
  const [folder, ...rest] = path.slice(coreSources.length).split("/")
  return rest.length > 0 ? folder : undefined
}

/** The sources of this repository that a file imports, with their lines. */
const relativeImports = (file: SourceFile): ReadonlyArray<Reference> =>
  referencesOf(file)
    .imports.filter(({ text }) => text.startsWith("."))
    .map(({ line, text }) => ({ line, text: posix.join(posix.dirname(file.path), text) }))

const domainViolations = (file: SourceFile, imports: ReadonlyArray<Reference>): ReadonlyArray<Violation> => {
  const domain = domainOf(file.path)
  if (domain === undefined) return []
  const place = coreDomains.indexOf(domain)
  const at = (line: number, found: string): Violation => ({ path: file.path, line, rule: "domain-order", found })
  if (place === -1) return [at(1, `${domain} has no place among the domains in test/architecture/rules.ts`)]
  return imports
    .filter(({ text }) => {
      const other = domainOf(text)
      if (other === undefined) return text.startsWith(coreSources) && !aboveDomains.includes(domain)
      return coreDomains.indexOf(other) > place
    })
    .map(({ line, text }) => at(line, text.slice(coreSources.length)))
}

/** The import cycles between files, each once, beginning with the first of its files in the given order. */
const importCycles = (graph: ReadonlyMap<string, ReadonlyArray<Reference>>): ReadonlyArray<ReadonlyArray<string>> => {
  const done = new Set<string>()
  const cycles: Array<ReadonlyArray<string>> = []
  const visit = (path: string, trail: ReadonlyArray<string>): void => {
    const begin = trail.indexOf(path)
    if (begin !== -1) return void cycles.push(trail.slice(begin))
    if (done.has(path)) return
    for (const { text } of graph.get(path) ?? []) visit(text, [...trail, path])
    done.add(path)
  }
  for (const path of graph.keys()) visit(path, [])
  return cycles
}

const graphViolations = (sources: ReadonlyArray<SourceFile>): ReadonlyArray<Violation> => {
  const graph = new Map(sources.map((file) => [file.path, relativeImports(file)] as const))
  return [
    ...sources.flatMap((file) => domainViolations(file, graph.get(file.path) ?? [])),
    ...importCycles(graph).map((cycle) => ({
      path: cycle[0] ?? "",
      line: graph.get(cycle[0] ?? "")?.find(({ text }) => text === (cycle[1] ?? cycle[0]))?.line ?? 1,
      rule: "import-cycle" as const,
      found: [...cycle, cycle[0]].map((path) => path?.split("/src/").at(-1)).join(" -> ")
    }))
  ]
}

const manifestViolations = ({ owner, manifests }: Surroundings): ReadonlyArray<Violation> => {
  const { name } = owner.manifest
  const at = (rule: Rule, found: string): Violation => ({ path: `${owner.folder}/package.json`, line: 1, rule, found })
  const known = arrows.some((row) => matches(name, row.from))
  const all = { ...owner.manifest.devDependencies, ...owner.manifest.optionalDependencies }
  const wanted = [...new Set([...declared(owner.manifest), ...Object.keys(all)])]
  return [
    ...(known ? [] : [at("arrows", `${name} has no row in test/architecture/rules.ts`)]),
    ...wanted.filter((other) => manifests.has(other) && !mayImport(name, other)).map((other) => at("arrows", other)),
    ...(name === corePackage
      ? Object.keys(owner.manifest.dependencies ?? {})
          .filter((other) => !coreDependencies.includes(other))
          .map((other) => at("core-dependencies", other))
      : [])
  ]
}

/** Every broken rule in `packages`, in the order of the packages and their files. */
export const violationsOf = (packages: ReadonlyArray<WorkspacePackage>): ReadonlyArray<Violation> => {
  const manifests = new Map(packages.map((owner) => [owner.manifest.name, owner.manifest]))
  return packages.flatMap((owner) => [
    ...manifestViolations({ owner, manifests }),
    ...owner.sources.flatMap((file) => fileViolations(file, { owner, manifests })),
    ...graphViolations(owner.sources)
  ])
}
