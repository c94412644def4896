import { Result } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cleanFilename, identifyFile, MAX_FILENAME_LENGTH } from "../../src/documents/storing/identifyFile.ts"

const accepted = ["pdf", "docx", "md", "txt"] as const

/** Each character is one byte. */
const bytesOf = (latin: string) => Uint8Array.from(latin, (character) => character.charCodeAt(0))
const utf8 = (text: string) => new TextEncoder().encode(text)

const PDF = bytesOf("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj")
const header = (signature: string, fixed: number, name: string) =>
  signature + "\0".repeat(fixed - signature.length) + name
const DOCX = bytesOf(header("PK\x03\x04", 30, "[Content_Types].xml") + header("PK\x03\x04", 30, "word/document.xml"))
const XLSX = bytesOf(header("PK\x03\x04", 30, "[Content_Types].xml") + header("PK\x03\x04", 30, "xl/workbook.xml"))
const ENCRYPTED_DOCX = bytesOf(
  `\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1${"\0".repeat(600)}${Array.from("EncryptedPackage").join("\0")}\0`
)
const DOC = bytesOf(`\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1${"\0".repeat(600)}W\0o\0r\0d\0`)
const PNG = bytesOf("\x89PNG\r\n\x1a\n")
const TEXT = utf8("# Title\n\nSome text with ümlauts and 日本語.\n")
const UTF16LE = bytesOf(`\xff\xfe${Array.from("hello there, wide world").join("\0")}\0`)
const UTF16BE_WITHOUT_MARK = bytesOf(
  Array.from("hello there, wide world")
    .map((letter) => `\0${letter}`)
    .join("")
)

const identify = (filename: string, bytes: Uint8Array) => identifyFile({ filename, bytes, accepted })
const problemOf = (filename: string, bytes: Uint8Array) => {
  const result = identify(filename, bytes)
  return Result.isFailure(result) ? result.failure.problem : undefined
}

describe("identifyFile", () => {
  it.each([
    ["report.pdf", PDF, "pdf"],
    ["REPORT.PDF", PDF, "pdf"],
    ["junk before the header.pdf", bytesOf(`${"x".repeat(900)}%PDF-1.4`), "pdf"],
    ["letter.docx", DOCX, "docx"],
    ["locked.docx", ENCRYPTED_DOCX, "docx"],
    ["notes.md", TEXT, "md"],
    ["notes.markdown", TEXT, "md"],
    ["notes.txt", TEXT, "txt"],
    ["page as text.txt", utf8("<html><body>hi</body></html>"), "txt"],
    ["about pdf.md", utf8("# %PDF-1.7 explained"), "md"],
    ["old encoding.txt", bytesOf("caf\xe9"), "txt"],
    ["wide.txt", UTF16LE, "txt"],
    ["wide without mark.txt", UTF16BE_WITHOUT_MARK, "txt"],
    ["日本.pdf", PDF, "pdf"]
  ])("accepts %s by what it holds", (filename, bytes, type) => {
    expect(identify(filename, bytes)).toEqual(Result.succeed({ filename, type }))
  })

  it.each([
    ["text.pdf", TEXT],
    ["really a pdf.txt", PDF],
    ["really a pdf.md", PDF],
    ["really a pdf.docx", PDF],
    ["really a docx.pdf", DOCX],
    ["really a docx.txt", DOCX],
    ["sheet.docx", XLSX],
    ["old word.docx", DOC],
    ["text.docx", TEXT],
    ["image.txt", PNG],
    ["image.pdf", PNG],
    ["nulls.txt", bytesOf("some text\0and more")],
    ["binary.md", bytesOf("\x01\x02\x03\x04\x05\x06\x07")],
    ["rich.txt", utf8("{\\rtf1\\ansi hello}")],
    ["wide.pdf", UTF16LE]
  ])("refuses %s as a contradiction between name and content", (filename, bytes) => {
    expect(problemOf(filename, bytes)).toBe("contradiction")
  })

  it("refuses types that are not accepted, known or not, and names the accepted ones", () => {
    for (const filename of ["page.html", "table.csv", "image.png", "no extension", "constructor", "a.__proto__"]) {
      const result = identify(filename, TEXT)
      expect(Result.isFailure(result) && result.failure.problem).toBe("type")
      expect(Result.isFailure(result) && result.failure.message).toContain(".pdf, .docx, .md, and .txt")
    }
  })

  it("says as what a file of an old format is to be saved, if that is accepted", () => {
    const saidOf = (filename: string) => {
      const result = identify(filename, TEXT)
      return Result.isFailure(result) ? result.failure.message : ""
    }
    expect(saidOf("notes.doc")).toContain("Save it as .docx and upload that.")
    expect(saidOf("talk.PPT")).toContain("Save it as .pdf and upload that.")
    expect(saidOf("prices.xls")).not.toContain("Save it as")
  })

  it("takes html and csv once they are configured", () => {
    const all = [...accepted, "html", "csv"] as const
    expect(identifyFile({ filename: "a.htm", bytes: TEXT, accepted: all })).toEqual(
      Result.succeed({ filename: "a.htm", type: "html" })
    )
    expect(identifyFile({ filename: "a.csv", bytes: TEXT, accepted: all })).toEqual(
      Result.succeed({ filename: "a.csv", type: "csv" })
    )
  })

  it("refuses empty files and names that are none", () => {
    expect(problemOf("a.txt", new Uint8Array())).toBe("empty")
    for (const name of ["", "..", "/", "a/..", "\u202e", "\0", "...", "  "]) expect(problemOf(name, TEXT)).toBe("name")
  })

  it("tells what to do in every refusal", () => {
    const sentence = (filename: string, bytes: Uint8Array) => {
      const result = identify(filename, bytes)
      return Result.isFailure(result) ? result.failure.message : ""
    }
    expect(sentence("a.pdf", TEXT)).toMatchInlineSnapshot(
      `"a.pdf is named like a PDF but holds plain text. Rename it so that it ends in .txt or .md, or save it as a real .pdf."`
    )
    expect(sentence("a.txt", PDF)).toMatchInlineSnapshot(
      `"a.txt is named like a plain text but holds a PDF. Rename it so that it ends in .pdf."`
    )
    expect(sentence("a.docx", XLSX)).toMatchInlineSnapshot(
      `"a.docx is named like a Word document but holds an Excel workbook. Rename it so that it ends in .xlsx."`
    )
  })

  it("answers for any name and any bytes", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.uint8Array({ maxLength: 300 }), (filename, bytes) => {
        const result = identify(filename, bytes)
        if (Result.isSuccess(result)) expect(accepted).toContain(result.success.type)
        else expect(result.failure.message).toMatch(/\S\.$/)
      })
    )
  })
})

describe("cleanFilename", () => {
  it.each([
    ["../../etc/passwd.txt", "passwd.txt"],
    ["C:\\Users\\me\\report.pdf", "report.pdf"],
    ["a\r\nSet-Cookie: x=1.txt", "aSet-Cookie: x=1.txt"],
    ["fdp.\u202etxt.pdf", "fdp.txt.pdf"],
    ["nul\0.txt", "nul.txt"],
    ["half\ud83d.txt", "half.txt"],
    ["日本.pdf", "日本.pdf"],
    ["e\u0301te\u0301.md", "été.md"],
    ["👩‍👩‍👧.txt", "👩‍👩‍👧.txt"]
  ])("makes %j into %j", (raw, clean) => {
    expect(cleanFilename(raw)).toBe(clean)
  })

  it("shortens long names before their extension, never inside a character", () => {
    expect(cleanFilename(`${"a".repeat(10_000)}.pdf`)).toBe(`${"a".repeat(251)}.pdf`)
    const cut = cleanFilename(`a${"😀".repeat(300)}.pdf`)
    expect(cut.length).toBeLessThanOrEqual(MAX_FILENAME_LENGTH)
    expect(cut.endsWith("😀.pdf")).toBe(true)
  })

  it("gives, for any text, a name that is short, well formed and free of paths and control characters, and keeps it", () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom("a", "/", "\\", ".", " ", "\0", "\n", "\u202e", "\ud800", "\udc00", "é", "日", "😀"),
          maxLength: 600
        }),
        (raw) => {
          const clean = cleanFilename(raw)
          expect(clean.length).toBeLessThanOrEqual(MAX_FILENAME_LENGTH)
          expect(clean.isWellFormed()).toBe(true)
          expect(clean).not.toMatch(/[\u0000-\u001f/\\\u202a-\u202e]/)
          expect(cleanFilename(clean)).toBe(clean)
        }
      ),
      { numRuns: 500 }
    )
  })
})
