import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { decodeText } from "../src/parsing/text/decodeText.ts"
import { Unreadable } from "../src/parsing/Unreadable.ts"
import { encodeEbcdic, encodeText, encodeUtf16 } from "./fixtures/encodeText.ts"

const utf8 = (text: string) => new TextEncoder().encode(text)

const failureOf = (bytes: Uint8Array) => {
  try {
    return `read: ${decodeText(bytes)}`
  } catch (cause) {
    return cause instanceof Unreadable ? cause.failure : cause
  }
}

describe("the encoding of a text is found", () => {
  it.each([
    ["windows-1252", "café crème"],
    ["windows-1252", "Le café était fermé à cause des élèves — dit-il."],
    ["windows-1252", "Größe und Maße der Straße, täglich geöffnet für Gäste."],
    ["windows-1252", "El niño comió mañana en España. ¿No? ¡Sí!"],
    ["windows-1252", "São informações não confirmadas, à mão"],
    ["windows-1252", "Blåbærsyltetøy på øya, räksmörgås"],
    ["windows-1252", "Þetta er íslenskur texti með þorn og ð, það er gott að sjá"],
    ["windows-1252", "The price is 100 € — “net”, as agreed…"],
    ["macintosh", "Größe und Maße der Straße"],
    ["windows-1250", "Zażółć gęślą jaźń w Łodzi, proszę się nie śmiać"],
    ["iso-8859-2", "Zażółć gęślą jaźń w Łodzi, proszę się nie śmiać"],
    ["windows-1250", "Příliš žluťoučký kůň úpěl ďábelské ódy"],
    ["windows-1250", "Árvíztűrő tükörfúrógép"],
    ["windows-1251", "Привет"],
    ["windows-1251", "Договор поставки № 5: стороны согласовали срок оплаты."],
    ["windows-1251", "Привіт, це український текст з літерами ї та є"],
    ["ibm866", "Привет"],
    ["ibm866", "Договор поставки: стороны согласовали срок оплаты."],
    ["koi8-u", "Договор поставки: стороны согласовали срок оплаты."],
    ["iso-8859-5", "Договор поставки: стороны согласовали срок оплаты."],
    ["windows-1253", "Η σύμβαση λήγει στο τέλος του έτους"],
    ["windows-1254", "Şirket çalışanları için güncel değişiklik"],
    ["windows-1255", "שלום עולם זה טקסט"],
    ["windows-1255", "המוזיאון נפתח בעשר בבוקר. הכלב של השומר נקרא רקס."],
    ["windows-1255", "שלום"],
    ["windows-1251", "ДОГОВОР ПОСТАВКИ ТОВАРОВ"],
    ["koi8-u", "ДОГОВОР ПОСТАВКИ ТОВАРОВ"],
    ["windows-1256", "مرحبا بالعالم هذا نص"],
    ["iso-8859-6", "يفتح المتحف في العاشرة صباحا. كلب الحارس اسمه فهد."],
    ["windows-874", "พิพิธภัณฑ์เปิดเวลาสิบโมงเช้า สุนัขของผู้ดูแลชื่อมะลิ"],
    ["windows-874", "ราคา 500 บาท (รวม VAT)"],
    ["windows-874", "สวัสดี"],
    ["shift_jis", "これは日本語の文章です。文字コードを調べます。"],
    ["euc-jp", "これは日本語の文章です。文字コードを調べます。"],
    ["gb18030", "这是一个中文文档，用来测试编码。"],
    ["big5", "這是一個中文檔案，用來測試編碼。"],
    ["euc-kr", "이것은 한국어 문서입니다."],
    ["euc-kr", "계약서"]
  ])("%s: %s", (label, text) => {
    expect(decodeText(encodeText(text, label))).toBe(text)
    // Far behind text that is ASCII alone, and in a line of its own.
    const preamble = "Plain words of no particular kind.\n".repeat(2_000)
    expect(decodeText(new Uint8Array([...utf8(preamble), ...encodeText(text, label)]))).toBe(preamble + text)
  })

  it("UTF-8 and UTF-16 are recognised with their marks and without, whatever their declaration", () => {
    const text = "Größe, and more words of it. Привет 日本 😀"
    for (const declared of [undefined, "windows-1251", "iso-8859-1", "no-such-encoding"]) {
      expect(decodeText(utf8(text), declared)).toBe(text)
      expect(decodeText(utf8(`\ufeff${text}`), declared)).toBe(text)
      for (const order of ["le", "be"] as const) {
        expect(decodeText(encodeUtf16(text, order), declared)).toBe(text)
        expect(decodeText(encodeUtf16(text, order, { mark: false }), declared)).toBe(text)
      }
    }
  })

  it("what is declared decides where several fit, and not where it does not", () => {
    const bytes = encodeText("Đuro", "windows-1250")
    expect([decodeText(bytes), decodeText(bytes, "windows-1250")]).toEqual(["Ðuro", "Đuro"])
    expect(decodeText(encodeText("Größe und Maße", "windows-1252"), "windows-1251")).toBe("Größe und Maße")
  })

  it("a broken character in a long text in UTF-8 is one broken character", () => {
    const text = "Größe ist wichtig. ".repeat(100)
    expect(decodeText(new Uint8Array([...utf8(text), 0xff, ...utf8(text)]))).toBe(`${text}\ufffd${text}`)
  })
})

describe("a text in no known encoding is refused and not guessed", () => {
  it.each([
    ["EBCDIC", encodeEbcdic("THIS IS A RECORD OF THE MAINFRAME with words and 42 numbers.\nAND MORE.")],
    ["NUL bytes", utf8("words\0more words")],
    ["half of UTF-16", encodeUtf16("words", "le").slice(0, -1)],
    ["code page 850", Uint8Array.from(Buffer.from("caf\x82 cr\x8ame", "latin1"))],
    ["random bytes", Uint8Array.from({ length: 4_000 }, (_, index) => ((index * 7919) % 254) + 1)]
  ])("%s", (_, bytes) => {
    expect(failureOf(bytes)).toBe("encoding")
  })

  it("any bytes are read as well-formed text or refused as an encoding", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        const found = failureOf(bytes)
        if (found === "encoding") return
        expect(found).toMatch(/^read: /)
        expect(String(found).isWellFormed()).toBe(true)
      })
    )
  })
})
