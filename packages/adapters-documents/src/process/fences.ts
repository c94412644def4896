import { execFile } from "node:child_process"

/** What keeps a parser process from the rest of the machine. */
export interface ParserFences {
  /** Node's permission model: files of the parsers' own packages only, no program started, no file written. */
  readonly permissions: boolean
  /** No file or socket can be opened once the parser is loaded (RLIMIT_NOFILE 0, by `prlimit` of util-linux). */
  readonly descriptors: boolean
  /** A network namespace without any network (by `unshare` of util-linux, where user namespaces are allowed). */
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

/** Which fences this machine has. Tried once a process. */
export const parserFences = (): Promise<ParserFences> =>
  (probing ??= Promise.all([
    runs("/usr/bin/prlimit", ["--nofile=256:256", "--", "/bin/true"]),
    runs("/usr/bin/unshare", [...UNSHARE, "/bin/true"])
  ]).then(([descriptors, network]) => ({ permissions: true, descriptors, network })))

/** The program to start for a Node process within the network fence, and what comes before Node's own arguments. */
export const programOf = ({ network }: ParserFences): { readonly file: string; readonly before: Array<string> } =>
  network
    ? { file: "/usr/bin/unshare", before: [...UNSHARE, process.execPath] }
    : { file: process.execPath, before: [] }

/** Lets a running process open nothing any more. Where that does not work, the other fences stay. */
export const closeDescriptors = async ({ descriptors }: ParserFences, pid: number): Promise<void> => {
  if (descriptors) await runs("/usr/bin/prlimit", ["--pid", String(pid), "--nofile=0:0"])
}
