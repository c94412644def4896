import { describe, expect, it } from "vitest"
import { searchLanguageOf } from "../../src/documents/searching/searchLanguage.ts"

describe("the language by which a document's words are stemmed", () => {
  it.each([
    ["de", "Rechnungen sind binnen dreißig Tagen zu bezahlen."],
    ["de", "Die Bücherei ist montags geschlossen."],
    ["de", "Die Garantie gilt zwei Jahre ab dem Kauf."],
    ["fr", "Bibliothèque fermée dès le 3 août"],
    ["es", "La biblioteca cierra los lunes."],
    ["it", "La biblioteca è chiusa il lunedì."],
    ["pt", "A biblioteca não abre às segundas."],
    ["nl", "De bibliotheek is op maandag gesloten."],
    ["sv", "Biblioteket är stängt på måndagar."],
    ["hu", "A könyvtár hétfőn zárva tart."],
    ["tr", "Kütüphane pazartesi günleri kapalıdır."],
    ["ro", "Biblioteca este închisă lunea."],
    ["lt", "Biblioteka pirmadieniais nedirba, nes ją remontuoja įmonė."],
    ["ru", "Гарантия действует два года со дня покупки."],
    ["ru", "Счёт-фактура"],
    ["sr", "Библиотека је затворена понедељком."],
    ["ar", "فاتورة"],
    ["el", "Τιμολόγιο"],
    ["hi", "पुस्तकालय बंद"],
    ["ja", "apt の使い方: パッケージを更新する"],
    ["zh", "图书馆在星期一关闭。"],
    ["ko", "도서관은 월요일에 쉽니다."],
    ["th", "ห้องสมุดปิดวันจันทร์"],
    ["de", "Rechnung für 東京"]
  ])("%s is told of a text with few words: %s", (language, text) => {
    expect(searchLanguageOf(text)).toBe(language)
  })

  it.each([
    "Invoice payment terms",
    "The Café Möbius is closed on Mondays.",
    "Die Hard is a film.",
    "Résumé",
    "No me.",
    "Biblioteka jest zamknięta w poniedziałki.",
    "Příliš žluťoučký kůň",
    "Thư viện đóng cửa vào thứ hai.",
    "3002 32.50",
    ""
  ])("what tells none is read as English: %j", (text) => {
    expect(searchLanguageOf(text)).toBe("en")
  })

  it.each([
    "Preliminary Report on an Algebraic Language. CACM, March 22, 8:28 PM. AM, JB, A. J.",
    "Take care of vitamin A, E and K at 9 AM. Al Gore, Al Pacino and El Niño are care of Mr. De Sa.",
    "Stock options of A/S Mo, van Dyk and de la Cruz, in a note of 1958",
    "The effect of β-catenin and of α on γ in cells, by a curve",
    "CARE AT AM AND PM"
  ])("names, initials and abbreviations show no language: %j", (text) => {
    expect(searchLanguageOf(text)).toBe("en")
  })

  it("a text in capitals shows its language as one in small letters does", () => {
    expect(searchLanguageOf("DIE RECHNUNGEN SIND BINNEN DREI TAGEN ZU BEZAHLEN.")).toBe("de")
  })

  it("a word that is repeated often shows no more than one that stands once", () => {
    expect(searchLanguageOf("Die Hard. Die Hard 2. Die, die, die! The film is a classic of its kind.")).toBe("en")
  })
})
