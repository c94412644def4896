import { type ChildProcess, execFile, spawn } from "node:child_process"
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { copyRepository } from "../../../../test/support/copyRepository.ts"
import { readDockerfile, repository, restOf } from "./dockerfile.ts"

const run = promisify(execFile)

/** Debian 12, unpacked once: what `node:24-bookworm-slim` contains besides Node. */
const BASE = "/var/lib/parley-image-base"

const said = async (program: string, ...argv: ReadonlyArray<string>): Promise<string> =>
  (await run(program, argv, { maxBuffer: 2 ** 26 })).stdout.trim()

const unpackBase = async (): Promise<void> => {
  if (existsSync(BASE)) return
  const partial = `${BASE}.partial`
  rmSync(partial, { recursive: true, force: true })
  await run("/usr/sbin/debootstrap", ["--variant=minbase", "bookworm", partial], { maxBuffer: 2 ** 26 })
  renameSync(partial, BASE)
}

/** What a container does before its command: everything is mounted for the command alone. */
const PREPARE = {
  build: 'mount --rbind /dev "$root/dev"',
  run: 'mount -t tmpfs tmpfs "$root/tmp" && chmod 1777 "$root/tmp" && mount -o remount,bind,ro "$root"'
}

interface Confined {
  readonly root: string
  readonly command: ReadonlyArray<string>
  readonly environment: Readonly<Record<string, string>>
  /** `run`: the root can be read only, and an empty `/tmp` written. */
  readonly as: keyof typeof PREPARE
  readonly user?: string
}

/** Runs a command in a root. Signals to the process reach the command. */
export const confined = ({ as, command, environment, root, user = "0:0" }: Confined): ChildProcess => {
  const script = `set -e; root=$1; user=$2; shift 2
mount --bind "$root" "$root"; mount -t proc proc "$root/proc"; ${PREPARE[as]}
exec /usr/sbin/chroot --userspec="$user" "$root" "$@"`
  return spawn("unshare", ["--mount", "--", "sh", "-c", script, "sh", root, user, ...command], {
    env: { PATH: process.env["PATH"], ...environment },
    stdio: ["ignore", "pipe", "pipe"]
  })
}

/** The output of a process; fails if it ends with another code than 0. */
export const outputOf = async (child: ChildProcess): Promise<string> => {
  let output = ""
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => (output += text))
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve))
  if (code !== 0) throw new Error(`A command ended with ${code}: ${output.slice(-4_000)}`)
  return output
}

/** The settings by which npm reaches its registry from this machine. */
const npmSettings = async (root: string): Promise<Record<string, string>> => {
  const [registry, cafile] = [
    await said("npm", "config", "get", "registry"),
    await said("npm", "config", "get", "cafile")
  ]
  if (!existsSync(cafile)) return { npm_config_registry: registry }
  cpSync(cafile, join(root, "etc/npm-ca.pem"))
  return { npm_config_registry: registry, npm_config_cafile: "/etc/npm-ca.pem" }
}

/** Node 24 and npm, as the base image has them, and the network settings of this machine. */
const furnish = async (root: string): Promise<void> => {
  const modules = join(root, "usr/local/lib/node_modules")
  mkdirSync(modules, { recursive: true })
  cpSync(join(repository, "node_modules/node/bin/node"), join(root, "usr/local/bin/node"))
  await run("cp", ["-a", join(await said("npm", "root", "--global"), "npm"), modules])
  await run("ln", ["-s", "../lib/node_modules/npm/bin/npm-cli.js", join(root, "usr/local/bin/npm")])
  await run("cp", ["-aL", "/etc/resolv.conf", "/etc/hosts", join(root, "etc")])
}

/**
 * Carries out the first stage of the Dockerfile in the folder `root`, each `RUN` as a command in that root, and returns
 * the tree of the image.
 */
export const buildTree = async (root: string): Promise<string> => {
  await unpackBase()
  await run("cp", ["-a", BASE, root])
  await furnish(root)
  const [build] = readDockerfile()
  const [workdir = "/"] = restOf(build, "WORKDIR")
  await copyRepository(join(root, workdir))
  rmSync(join(root, workdir, ".git"), { recursive: true, force: true })
  const environment = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: "/root", ...(await npmSettings(root)) }
  for (const line of restOf(build, "RUN")) {
    const command = ["sh", "-c", `cd ${workdir} && ${line}`]
    await outputOf(confined({ root, command, environment, as: "build" }))
  }
  return join(root, "image")
}

/** The bytes of all files in a folder. */
export const sizeOf = async (folder: string): Promise<number> =>
  Number.parseInt(await said("du", "--apparent-size", "--block-size=1", "--summarize", folder), 10)
