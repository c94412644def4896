import { expect, it } from "vitest"
import { loadPackage, PackageMissing } from "../src/PackageMissing.ts"

const thrown = (code: string, message: string) => Object.assign(new Error(message), { code })
const loading = (packageName: string, error: unknown) => loadPackage(packageName, () => Promise.reject(error))

it("a missing package is named, with the command that installs it", async () => {
  const missing = thrown("ERR_MODULE_NOT_FOUND", "Cannot find package 'openai' imported from /app/client.js")
  const error = await loading("openai", missing).catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(PackageMissing)
  expect(error).toMatchObject({ packageName: "openai", code: "package_missing" })
  expect((error as PackageMissing).message).toContain("npm install openai")
})

it("a package that is installed and fails to load is not reported as missing", async () => {
  const within = thrown("ERR_MODULE_NOT_FOUND", "Cannot find package 'zod' imported from /node_modules/openai/index.js")
  await expect(loading("openai", within)).rejects.toBe(within)
  const broken = thrown("ERR_INVALID_PACKAGE_CONFIG", "Invalid package config of 'openai'")
  await expect(loading("openai", broken)).rejects.toBe(broken)
  await expect(loadPackage("openai", async () => 1)).resolves.toBe(1)
})
