/**
 * Reports mistakes in Effect code that the type checker accepts: an Effect that is never run, a missing `yield*`, a
 * layer that leaks a requirement. The compiler build of @effect/tsgo finds them because tsconfig.base.json lists its
 * plugin. That build is large and exists for Linux x64 only, so it is not part of the repository's install: the first
 * run of this check installs it in this folder, from a separate lock file. If it cannot be installed, the check reports
 * that it did not run, and fails if CI is set, so that a green pipeline always means that the diagnostics ran.
 *
 * Usage: node tooling/effect-diagnostics/run.mjs [tsconfig, by default tsconfig.test.json]
 * Exit codes: 0 no mistakes found, or not run; 1 mistakes found, or not run under CI; 2 the compiler reports nothing at
 * all.
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const here = fileURLToPath(new URL(".", import.meta.url))
const root = fileURLToPath(new URL("../..", import.meta.url))
const packageName = `@effect/tsgo-${process.platform}-${process.arch}`
const { version } = JSON.parse(readFileSync(join(here, "package-lock.json"), "utf8")).packages[
  `node_modules/${packageName}`
] ?? { version: undefined }
const compilerFolder = join(here, "node_modules", packageName)
const compiler = join(compilerFolder, "lib/tsc")

const isInstalled = () => {
  const manifest = join(compilerFolder, "package.json")
  return existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).version === version
}

/**
 * Returns true if the compiler of the lock file is installed; false if there is none for this platform, or if it cannot
 * be downloaded.
 */
const install = () => {
  if (version === undefined) return false
  if (isInstalled()) return true
  console.error("Installing the Effect diagnostics, once.")
  spawnSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: here, stdio: "inherit" })
  return isInstalled()
}

const diagnose = (project, stdio) =>
  spawnSync(compiler, ["--noEmit", "--project", project], { cwd: root, encoding: "utf8", stdio })

/**
 * Checks a file with an Effect that is never run. A compiler that does not report this mistake reports no mistakes at
 * all, even if its exit code is 0.
 */
const seesPlantedMistake = () => {
  const folder = join(root, "node_modules/.cache", `effect-diagnostics-${process.pid}`)
  mkdirSync(folder, { recursive: true })
  try {
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ extends: join(root, "tsconfig.test.json"), include: ["planted.ts"], exclude: [] })
    )
    writeFileSync(join(folder, "planted.ts"), 'import { Effect } from "effect"\nEffect.log("nobody runs this")\n')
    return diagnose(folder, "pipe").stdout.includes("effect(floatingEffect)")
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const run = () => {
  if (!install()) {
    const isRequired = Boolean(process.env.CI)
    console.error(
      `The Effect diagnostics did not run: ${packageName} is not to be had.` +
        (isRequired ? " CI requires them." : " Everything else was checked.")
    )
    return isRequired ? 1 : 0
  }
  if (!seesPlantedMistake()) {
    console.error("The Effect diagnostics are blind: a planted mistake was not reported. Is the plugin configured?")
    return 2
  }
  const { status } = diagnose(process.argv[2] ?? "tsconfig.test.json", "inherit")
  if (status === 0) console.log("The Effect diagnostics found nothing.")
  return status ?? 1
}

process.exitCode = run()
