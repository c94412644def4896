import { execFile } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { createServer, type AddressInfo } from "node:net"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { copyRepository } from "./copyRepository.ts"
import { published } from "./publishedPackages.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const run = promisify(execFile)
export const readJson = <A>(path: string): A => JSON.parse(readFileSync(path, "utf8")) as A

const OUTPUT = { maxBuffer: 2 ** 26 }

/** Options for `npm` in a user's project: run no scripts, and fetch no more than needed. */
const QUIET = ["--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"]

/** Runs a command; returns its output and its exit code, 0 on success. */
export const ending = async (
  command: string,
  argv: ReadonlyArray<string>,
  cwd: string,
  env: NodeJS.ProcessEnv = process.env
): Promise<{ readonly exit: number; readonly said: string }> => {
  try {
    const { stderr, stdout } = await run(command, [...argv], { ...OUTPUT, cwd, env })
    return { exit: 0, said: stdout + stderr }
  } catch (error) {
    const { code, stderr, stdout } = error as {
      readonly code: number
      readonly stderr: string
      readonly stdout: string
    }
    return { exit: code, said: stdout + stderr }
  }
}

/**
 * Packs every published package of the scope, and `also` others, as `npm publish` does, in a copy of the repository;
 * returns the files by folder.
 */
export const packAll = async (
  folder: string,
  also: ReadonlyArray<string> = []
): Promise<ReadonlyMap<string, string>> => {
  const packed = [...published, ...also]
  const clone = join(folder, "clone")
  mkdirSync(clone)
  await copyRepository(clone)
  // The links within the modules point to the clone's packages.
  await run("cp", ["-a", join(root, "node_modules"), clone])
  for (const name of packed) {
    const own = join(root, "packages", name, "node_modules")
    if (existsSync(own)) await run("cp", ["-a", own, join(clone, "packages", name)])
  }
  const manifests = packed.map((name) => `packages/${name}/package.json`)
  const hashes = async (of: string) =>
    (await run("git", ["-C", root, "hash-object", ...manifests.map((path) => join(of, path))])).stdout
  const files = new Map<string, string>()
  for (const name of packed) {
    const argv = ["pack", "--json", "--pack-destination", folder]
    const { stdout } = await run("npm", argv, { ...OUTPUT, cwd: join(clone, "packages", name) })
    files.set(name, join(folder, /"filename": "(.*\.tgz)"/.exec(stdout)?.[1] ?? ""))
  }
  if ((await hashes(clone)) !== (await hashes(root)))
    throw new Error("Packing did not leave the manifests as they were.")
  return files
}

/**
 * The installed Effect under another patch version, as in a project with a slightly newer Effect. A package that
 * pinned Effect would install a second copy.
 */
export const otherEffect = async (folder: string): Promise<{ readonly file: string; readonly version: string }> => {
  const { stdout } = await run("npm", ["pack", `effect@${ownEffect}`, "--pack-destination", folder, ...QUIET], {
    cwd: folder
  })
  await run("tar", ["-xzf", stdout.trim().split("\n").at(-1) ?? ""], { cwd: folder })
  const manifest = join(folder, "package/package.json")
  const version = ownEffect.replace(/\d+$/, (patch) => String(Number(patch) + 7))
  writeFileSync(manifest, JSON.stringify({ ...readJson<object>(manifest), version }))
  renameSync(join(folder, "package"), join(folder, "effect"))
  const file = join(folder, `effect-${version}.tgz`)
  await run("tar", ["-czf", file, "-C", folder, "--transform", "s,^effect,package,", basename(join(folder, "effect"))])
  return { file, version }
}

const ownEffect = readJson<{ readonly version: string }>(join(root, "node_modules/effect/package.json")).version

/** Creates an empty user's project, with these packages (names, or files) installed by npm. */
export const makeProject = async (folder: string, name: string, packages: ReadonlyArray<string>): Promise<string> => {
  const project = join(folder, name)
  mkdirSync(project)
  writeFileSync(join(project, "package.json"), JSON.stringify({ name, private: true, type: "module" }))
  await addTo(project, packages)
  return project
}

/** Installs more into a project. */
export const addTo = async (project: string, packages: ReadonlyArray<string>): Promise<void> => {
  await run("npm", ["install", ...QUIET, ...packages], { ...OUTPUT, cwd: project })
}

/** Bytes of all files that npm has put into a project. */
export const installedBytes = async (project: string): Promise<number> => {
  const { stdout } = await run("find", ["node_modules", "-type", "f", "-printf", "%s\n"], { ...OUTPUT, cwd: project })
  return stdout
    .trim()
    .split("\n")
    .reduce((sum, size) => sum + Number(size), 0)
}

/** Every copy of a package in a project. */
export const copiesOf = async (project: string, name: string): Promise<ReadonlyArray<string>> => {
  const argv = [".", "-type", "d", "-path", `*/node_modules/${name}`]
  return (await run("find", argv, { ...OUTPUT, cwd: project })).stdout.split("\n").filter((path) => path !== "")
}

/** A port of this machine that was free a moment ago. */
export const freePort = async (): Promise<number> => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
