import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { beginFolder } from "../../src/image/beginFolder.ts"
import { packFolder, unpackFolder } from "../../src/image/folderImage.ts"

const temporaryFolder = () => {
  const path = mkdtempSync(join(tmpdir(), "parley-begin-"))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

const makeWith = (text: string) => (folder: string) => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "PG_VERSION"), text)
}

describe("a database folder", () => {
  it("is made where there is none, where it is empty, and where what is above it is missing", async () => {
    using root = temporaryFolder()
    const folders = [join(root.path, "new"), join(root.path, "empty"), join(root.path, "a/b/c")]
    mkdirSync(folders[1] ?? "")
    for (const folder of folders) {
      expect(await beginFolder(folder, makeWith("17"))).toBe(true)
      expect(readFileSync(join(folder, "PG_VERSION"), "utf8")).toBe("17")
      expect(existsSync(`${folder}.new`)).toBe(false)
    }
  })

  it("is never replaced while anything is in it", async () => {
    using root = temporaryFolder()
    const folder = join(root.path, "database")
    mkdirSync(folder)
    writeFileSync(join(folder, "one file"), "of a person's")
    expect(await beginFolder(folder, makeWith("17"))).toBe(false)
    expect(readdirSync(root.path)).toEqual(["database"])
    expect(readdirSync(folder)).toEqual(["one file"])
  })

  it("has its name only when it is complete: an unfinished one of a dead process is replaced", async () => {
    using root = temporaryFolder()
    const folder = join(root.path, "database")
    makeWith("half")(`${folder}.new`)
    writeFileSync(`${folder}.new/left over`, "")
    let seen: ReadonlyArray<string> | undefined
    const made = await beginFolder(folder, (begun) => {
      seen = readdirSync(root.path)
      makeWith("17")(begun)
    })
    expect([made, seen, readdirSync(folder), readdirSync(root.path)]).toEqual([true, [], ["PG_VERSION"], ["database"]])
  })

  it("is not there after a failure, and nothing of it is", async () => {
    using root = temporaryFolder()
    const folder = join(root.path, "database")
    const failing = beginFolder(folder, (begun) => {
      makeWith("half")(begun)
      throw new Error("No space left on device")
    })
    await expect(failing).rejects.toThrow("No space left on device")
    expect(readdirSync(root.path)).toEqual([])
  })
})

describe("the image of a folder", () => {
  const fill = (folder: string) => {
    mkdirSync(join(folder, "base/5"), { recursive: true })
    mkdirSync(join(folder, "pg_notify"))
    writeFileSync(join(folder, "base/5/1259"), Buffer.alloc(3 * 8192, 7))
    writeFileSync(join(folder, "base/5/empty"), "")
    writeFileSync(join(folder, "PG_VERSION"), "17\n")
    return folder
  }

  it("unpacks to the same folders and bytes, empty ones included", () => {
    using root = temporaryFolder()
    const image = packFolder(fill(join(root.path, "one")))
    unpackFolder(image, join(root.path, "other"))
    const [one, other] = ["one", "other"].map((name) => {
      const folder = join(root.path, name)
      return readdirSync(folder, { recursive: true, withFileTypes: true })
        .map((entry) => {
          const path = join(entry.parentPath, entry.name)
          return [path.slice(folder.length), entry.isFile() ? readFileSync(path, "base64") : "folder"]
        })
        .toSorted()
    })
    expect(other).toEqual(one)
    expect(one).toHaveLength(6)
  })

  it("is refused where one byte of it is damaged, and the folder is then not begun", async () => {
    using root = temporaryFolder()
    const image = packFolder(fill(join(root.path, "one")))
    const database = join(root.path, "database")
    for (const place of [0, 5, image.length >> 1, image.length - 1]) {
      const damaged = Buffer.from(image)
      damaged[place] = (damaged[place] ?? 0) ^ 0x55
      await expect(beginFolder(database, (folder) => unpackFolder(damaged, folder))).rejects.toThrow()
      expect(readdirSync(root.path)).toEqual(["one"])
    }
  })
})
