import { execFile } from "node:child_process"
import { existsSync, readFileSync, realpathSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** The fences between a parser process and the rest of the machine; true for those that the machine supports. */
export interface ParserFences {
  /**
   * Node's permission model: the process reads only files of the parsers' packages, writes no files and starts no
   * programs.
   */
  readonly permissions: boolean
  /**
   * The process cannot open files or sockets after its parser is loaded (RLIMIT_NOFILE 0, set by `prlimit` of
   * util-linux).
   */
  readonly descriptors: boolean
  /**
   * The process has a network namespace without any network (made by `unshare` of util-linux, if user namespaces are
   * allowed).
   */
  readonly network: boolean
}

const PROBE_MILLISECONDS = 5000

/**
 * The arguments of `unshare` for a namespace without network, as the same user. The program after them keeps the
 * process id.
 */
const UNSHARE = ["--user", "--map-current-user", "--net", "--"]

const runs = (program: string, parameters: ReadonlyArray<string>): Promise<boolean> =>
  new Promise((resolve) => {
    execFile(program, [...parameters], { timeout: PROBE_MILLISECONDS, env: {} }, (failure) => resolve(failure === null))
  })

let probing: Promise<ParserFences> | undefined

/** Returns the fences that this machine supports; it tests them once in each server process. */
export const parserFences = (): Promise<ParserFences> =>
  (probing ??= Promise.all([
    runs("/usr/bin/prlimit", ["--nofile=256:256", "--", "/bin/true"]),
    runs("/usr/bin/unshare", [...UNSHARE, "/bin/true"])
  ]).then(([descriptors, network]) => ({ permissions: true, descriptors, network })))

/** Returns the program that starts a Node process inside the network fence, and the arguments before Node's own. */
export const programOf = ({ network }: ParserFences): { readonly file: string; readonly before: Array<string> } =>
  network
    ? { file: "/usr/bin/unshare", before: [...UNSHARE, process.execPath] }
    : { file: process.execPath, before: [] }

/** The limits that the operating system enforces on a program, if the machine has `prlimit`. */
interface ProgramBounds {
  /** The most bytes of the program's own memory. */
  readonly dataBytes: number
  /** The most bytes of each file that the program writes. */
  readonly fileBytes: number
  /** The most seconds of processor time of each of its processes. */
  readonly seconds: number
}

/**
 * Returns the command that runs a program inside the network fence and within limits: the program to start, and the
 * arguments before the program's own.
 */
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

/** Prevents a running process from opening files and sockets. If this fails, the other fences remain. */
export const closeDescriptors = async ({ descriptors }: ParserFences, pid: number): Promise<void> => {
  if (descriptors) await runs("/usr/bin/prlimit", ["--pid", String(pid), "--nofile=0:0"])
}

/** The packages that the parsers import; libheif-js is included only if it is installed. */
const PARSER_PACKAGES = [
  ...["@cwasm/jpeg-turbo", "@cwasm/lodepng", "@cwasm/webp", "libheif-js"],
  ...["htmlparser2", "mammoth", "numfmt", "postal-mime", "unpdf"]
]

/**
 * Returns the folder in which Node finds a package from `from`: in its `node_modules` or that of a folder above. The
 * folder may be a link.
 */
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

/**
 * Returns the folders that a parser process may read: the sources of this package, and the packages that the parsers
 * use.
 */
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
