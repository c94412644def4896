import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { temporaryFolder } from "./processes/ParleyProcess.ts"
import { Visitor } from "./processes/RunningServer.ts"
import { runHere } from "./processes/runHere.ts"
import { serveHere } from "./processes/serveHere.ts"

/** A program that says that it is LibreOffice. */
const standIn = (folder: string): string => {
  const path = join(folder, "soffice")
  writeFileSync(path, "#!/bin/sh\necho LibreOffice 24.8.4.2\n")
  chmodSync(path, 0o755)
  return path
}

/** The least that is an old Word document: the mark of a compound file, and the name of its stream. */
const oldDocument = (): Uint8Array => {
  const bytes = Buffer.alloc(2_048)
  bytes.write("d0cf11e0a1b11ae1", "hex")
  bytes.write("WordDocument\0", 1_024, "utf16le")
  return new Uint8Array(bytes)
}

it("a server accepts old Office files if LibreOffice is configured, and else says as what to save them", async () => {
  using folder = temporaryFolder()
  const answers = async (environment: Readonly<Record<string, string>>) => {
    await using server = await serveHere(folder.path, environment)
    const ann = new Visitor(server.url)
    await ann.signIn("ann@example.com")
    const response = await ann.upload("report.doc", oldDocument())
    const { uploads } = await ann.getJson<{ uploads: { extensions: ReadonlyArray<string> } }>("/api/me")
    const { detail } = (await response.json()) as Record<string, string>
    return { status: response.status, isListed: uploads.extensions.includes("doc"), detail }
  }
  const without = await answers({})
  expect(without).toMatchObject({ status: 400, isListed: false, detail: expect.stringContaining("Save it as .docx") })
  const withProgram = await answers({ PARLEY_LIBREOFFICE: standIn(folder.path) })
  expect(withProgram).toMatchObject({ status: 200, isListed: true })
})

it("the doctor says which LibreOffice converts, or that none answers", async () => {
  using folder = temporaryFolder()
  const finding = async (environment: Readonly<Record<string, string>>) => {
    const { exit, stdout } = await runHere(["doctor", "--json"], folder.path, environment)
    const { checks } = JSON.parse(stdout) as { readonly checks: ReadonlyArray<Record<string, string>> }
    return { exit, ...checks.find(({ name }) => name === "LibreOffice") }
  }
  expect(await finding({})).toEqual({ exit: 0 })
  expect(await finding({ PARLEY_LIBREOFFICE: standIn(folder.path) })).toMatchObject({
    exit: 0,
    status: "ok",
    detail: "LibreOffice 24.8.4.2 converts doc, xls and ppt"
  })
  const missing = await finding({ PARLEY_LIBREOFFICE: "/nowhere/soffice" })
  expect(missing).toMatchObject({ exit: 69, status: "failed", advice: expect.stringContaining("/usr/bin/soffice") })
})
