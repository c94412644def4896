import { describe, expect, it } from "vitest"
import { languageOf } from "../../src/offline/bestQuotes.ts"

describe("the language of a text", () => {
  it.each([
    ["da", "Fakturaen skal betales inden for tredive dage, ellers er der et gebyr, som vi ikke kan eftergive."],
    ["de", "Die Rechnung ist innerhalb von dreißig Tagen zu bezahlen, sonst wird eine Gebühr verrechnet."],
    ["en", "The invoice is to be paid within thirty days, or else there is a fee that we cannot waive."],
    [
      "es",
      "La factura se debe pagar en un plazo de treinta días; de lo contrario hay un recargo que no se puede quitar."
    ],
    ["fi", "Lasku on maksettava kolmenkymmenen päivän kuluessa, ja jos se ei ole maksettu, siitä tulee maksu."],
    ["fr", "La facture est à payer dans les trente jours, sinon il y a des frais que nous ne pouvons pas annuler."],
    ["it", "La fattura è da pagare entro trenta giorni, se no c'è una tassa che non si può togliere."],
    ["nl", "De rekening moet binnen dertig dagen worden betaald, anders zijn er kosten die wij niet kunnen schrappen."],
    [
      "no",
      "Fakturaen skal betales innen tretti dager, ellers er det et gebyr som vi ikke kan fjerne, og noen må betale."
    ],
    ["pt", "A fatura tem de ser paga no prazo de trinta dias, se não há uma taxa que não podemos retirar."],
    [
      "ru",
      "Счёт нужно оплатить в течение тридцати дней, иначе будет сбор, который мы не можем отменить, и это не всё."
    ],
    ["sv", "Fakturan ska betalas inom trettio dagar, annars är det en avgift som vi inte kan ta bort."]
  ])("is told by its small words: %s", (language, text) => {
    expect(languageOf(text)).toBe(language)
  })

  it.each(["", "3002 32.50", "Lavender 13 cm", "送货需要三天。"])("is not guessed where there are none: %j", (text) => {
    expect(languageOf(text)).toBeUndefined()
  })
})
