import { execFile } from "node:child_process"
import { existsSync, readFileSync, realpathSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** The fences between a parser process and the rest of the machine. */
export interface ParserFences {
  /** Node's permission model: files of the parsers' own packages only, no program started, no file written. */
  readonly permissions: boolean
  /** No file or socket can be opened once the parser is loaded (RLIMIT_NOFILE 0, by `prlimit` of util-linux). */
  readonly descriptors: boolean
  /** A network namespace without any network (by `unshare` of util-linux, if user namespaces are allowed). */
  readonly network: boolean
}

const PROBE_MILLISECONDS = 5000

/** A namespace of its own, as the same user; the program after these arguments keeps the process number. */
const UNSHARE = ["--user", "--map-current-user", "--net", "--"]

const runs = (program: string, parameters: ReadonlyArray<string>): Promise<boolean> =>
  new Promise((resolve) => {
    execFile(program, [...parameters], { timeout: PROBE_MILLISECONDS, env: {} }, (failure) => resolve(failure === null))
  })

let probing: Promise<ParserFences> | undefined

/** The fences that this machine supports. Probed once per process. */
export const parserFences = (): Promise<ParserFences> =>
  (probing ??= Promise.all([
    runs("/usr/bin/prlimit", ["--nofile=256:256", "--", "/bin/true"]),
    runs("/usr/bin/unshare", [...UNSHARE, "/bin/true"])
  ]).then(([descriptors, network]) => ({ permissions: true, descriptors, network })))

/** Returns the program that starts a Node process within the network fence, and the arguments before Node's own. */
export const programOf = ({ network }: ParserFences): { readonly file: string; readonly before: Array<string> } =>
  network
    ? { file: "/usr/bin/unshare", before: [...UNSHARE, process.execPath] }
    : { file: process.execPath, before: [] }

/** The bounds that the operating system sets a program, if the machine has `prlimit`. */
interface ProgramBounds {
  /** Memory of its own. */
  readonly dataBytes: number
  /** Each file that it writes. */
  readonly fileBytes: number
  /** Processor time of each of its processes. */
  readonly seconds: number
}

/** Returns a program within the network fence and bounds, as the program to start and the arguments before its own. */
export const programWithin = (
  { descriptors, network }: ParserFences,
  program: string,
  { dataBytes, fileBytes, seconds }: ProgramBounds
): { readonly file: string; readonly before: Array<string> } => {
  const limits = [`--data=${dataBytes}`, `--fsize=${fileBytes}`, `--cpu=${seconds}`, "--core=0"]
  const [file, ...before] = [
    ...(network ? ["/usr/bin/unshare", ...UNSHARE] : []),
    ...(descriptors ? ["/usr/bin/prlimit", ...limits, "--"] : []),
    program
  ]
  return { file, before }
}

/** Lets a running process open nothing any more. If that does not work, the other fences stay. */
export const closeDescriptors = async ({ descriptors }: ParserFences, pid: number): Promise<void> => {
  if (descriptors) await runs("/usr/bin/prlimit", ["--pid", String(pid), "--nofile=0:0"])
}

/** The packages that the parsers import; libheif-js only if it is installed. */
const PARSER_PACKAGES = [
  ...["@cwasm/jpeg-turbo", "@cwasm/lodepng", "@cwasm/webp", "libheif-js"],
  ...["htmlparser2", "mammoth", "numfmt", "postal-mime", "unpdf"]
]

/** The folder in which Node finds a package from `from`: in its `node_modules`, or in a folder above. It may be a link. */
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
  const own = ["package.json", "character-maps"].map((name) => join(dirname(sources), name))
  return (found = [sources, ...own, ...packages])
}
