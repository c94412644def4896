import { CONVERTED_DOCUMENT_TYPES, PARSED_DOCUMENT_TYPES } from "@parley/core/adapter"
import { DOCUMENT_TYPES, documentType } from "@parley/core/adapter"
import { identifyFile } from "../../src/documents/storing/identifyFile.ts"
import { typeOfExtension } from "../../src/documents/documentTypes.ts"
import { Result } from "effect"
import { describe, expect, it } from "vitest"

const utf8 = (text: string) => new TextEncoder().encode(text)

const signed = (parts: ReadonlyArray<readonly [number, ...Array<string>]>): Uint8Array => {
  const bytes = new Uint8Array(1_024)
  for (const [at, signature = ""] of parts) bytes.set(Buffer.from(signature, "latin1"), at)
  return bytes
}

/** The least that is recognised as a type. */
const sampleOf = (type: (typeof DOCUMENT_TYPES)[number]): Uint8Array => {
  const { content } = documentType(type)
  switch (content._tag) {
    case "Text":
      return utf8("Some text.")
    case "Header":
      return utf8(content.ascii)
    case "Signature":
      return signed(content.parts)
    case "NamedZip":
      return utf8(`PK\x03\x04${"\0".repeat(26)}mimetype${content.mediaType}PK`)
    case "OfficeOpenXml":
      return utf8(`PK\x03\x04${"\0".repeat(26)}${content.folder}main.xml`)
    case "CompoundFile":
      return signed([
        [0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"],
        [512, `${[...(content.streams[0] ?? "")].join("\0")}\0\0\0`]
      ])
  }
}

describe("the table of document types", () => {
  it("gives each extension to one type, in the form that file names are compared in", () => {
    const extensions = DOCUMENT_TYPES.flatMap((type) => documentType(type).extensions)
    expect(new Set(extensions).size).toBe(extensions.length)
    for (const extension of extensions) expect(extension).toMatch(/^[a-z0-9]{1,16}$/)
    for (const type of DOCUMENT_TYPES) expect(documentType(type).extensions.map(typeOfExtension)).toContain(type)
  })

  it("has every type recognised by a file of it under each of its extensions, and by no other type's name", () => {
    const accepted = DOCUMENT_TYPES
    for (const type of DOCUMENT_TYPES) {
      const bytes = sampleOf(type)
      for (const extension of documentType(type).extensions) {
        expect(identifyFile({ filename: `a.${extension}`, bytes, accepted })).toMatchObject(
          Result.succeed({ filename: `a.${extension}`, type })
        )
      }
      for (const other of DOCUMENT_TYPES) {
        const areTexts = [type, other].every((each) => documentType(each).content._tag === "Text")
        if (other === type || areTexts) continue
        const filename = `a.${documentType(other).extensions[0]}`
        expect(Result.isFailure(identifyFile({ filename, bytes, accepted })), `${type} as ${filename}`).toBe(true)
      }
    }
  })

  it("keeps names that the database can hold, and accepts by default what can be parsed", () => {
    for (const type of DOCUMENT_TYPES) expect(type).toMatch(/^[a-z0-9]{1,16}$/)
    expect(PARSED_DOCUMENT_TYPES).toEqual([
      ...["pdf", "docx", "xlsx", "pptx", "odt", "ods", "odp", "epub", "rtf"],
      ...["png", "jpg", "webp", "heic", "eml"],
      ...["html", "md", "txt", "csv"]
    ])
    expect(CONVERTED_DOCUMENT_TYPES).toEqual(["doc", "xls", "ppt"])
  })
})
