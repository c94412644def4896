/** A question over the fixture documents, which are all searched. */
export interface Question {
  readonly asked: string
  /** The file and the words that the first quotation must contain; undefined if no document answers. */
  readonly answer?: readonly [file: string, words: string]
}

/** Over `manual.md`, `faq.md`, `minutes.md` and `versicherung.txt`: thresholds and weights may be tuned on these. */
export const TUNING: ReadonlyArray<Question> = [
  { asked: "How many litres does the tank hold?", answer: ["manual.md", "The tank holds 1.8 l."] },
  { asked: "Can I use vinegar to descale the machine?", answer: ["manual.md", "vinegar damages the seals"] },
  { asked: "What does error E04 mean?", answer: ["manual.md", "Brewing group missing"] },
  { asked: "After how long does the machine turn itself off?", answer: ["manual.md", "after 30 minutes without use"] },
  { asked: "How long is the guarantee?", answer: ["manual.md", "24 months from the date of purchase"] },
  { asked: "How much coffee do I need for one espresso?", answer: ["manual.md", "9 g of coffee"] },
  { asked: "Which battery does the remote control of the machine need?" },
  { asked: "Is a helmet required?", answer: ["faq.md", "We recommend one"] },
  { asked: "What happens if I leave the bike outside a station?", answer: ["faq.md", "costs an extra € 5"] },
  { asked: "Can I pay with cash?", answer: ["faq.md", "We do not accept cash."] },
  { asked: "Is there a discount for students on the annual plan?" },
  { asked: "Which company will repair the roof?", answer: ["minutes.md", "to Keller & Sons"] },
  { asked: "When is the next meeting?", answer: ["minutes.md", "9 December 2026"] },
  { asked: "What happens to abandoned bicycles?", answer: ["minutes.md", "given to the charity Rückenwind"] },
  { asked: "Who is responsible for the swimming pool of the residents?" },
  { asked: "Wie hoch ist der Selbstbehalt?", answer: ["versicherung.txt", "Selbstbehalt von 150 Euro"] },
  { asked: "Welche Kündigungsfristen gelten?", answer: ["versicherung.txt", "Kündigungsfrist von drei Monaten"] },
  {
    asked: "Sind Schäden durch ein Erdbeben versichert?",
    answer: ["versicherung.txt", "Nicht versichert sind Schäden"]
  },
  {
    asked: "Bis zu welchem Wert ist ein Fahrrad versichert?",
    answer: ["versicherung.txt", "Wert von 1.500 Euro mitversichert"]
  },
  {
    asked: "Wann wird die Prämie vom Konto abgebucht?",
    answer: ["versicherung.txt", "jeweils am 1. April von Ihrem Konto abgebucht"]
  },
  { asked: "Zahlt die Versicherung die Tierarztkosten für meinen Hund?" }
]

/** Over `contract.txt`, `boulangerie.md`, `abstract.txt`, `prices.txt` and `reglamento.txt`: never tuned on, only judged. */
export const JUDGED: ReadonlyArray<Question> = [
  { asked: "When are invoices due?", answer: ["contract.txt", "within thirty (30) days of receipt"] },
  { asked: "What is the monthly fee?", answer: ["contract.txt", "EUR 6,500 plus VAT"] },
  { asked: "How quickly are critical incidents answered?", answer: ["contract.txt", "answered within 30 minutes"] },
  { asked: "Which law governs the agreement?", answer: ["contract.txt", "the laws of Ireland"] },
  {
    asked: "How long must confidential information be kept secret?",
    answer: ["contract.txt", "for five years thereafter"]
  },
  { asked: "Does the provider offer training for the client's employees?" },
  { asked: "Where will the servers be hosted?" },
  {
    asked: "How much higher was soil moisture under shade in the dry season?",
    answer: ["abstract.txt", "4.7 percentage points higher"]
  },
  { asked: "Who funded the trial?", answer: ["abstract.txt", "funded by the Hartmann Foundation"] },
  { asked: "Which coffee variety was grown?", answer: ["abstract.txt", "only the variety SL28 was grown"] },
  { asked: "What effect did shade have on bird populations?" },
  { asked: "What do pruning shears cost?", answer: ["prices.txt", "32.50"] },
  { asked: "How much is the delivery within 15 km?", answer: ["prices.txt", "EUR 25 per trip"] },
  { asked: "Do you sell garden furniture?" },
  { asked: "Combien de temps dure la cuisson du pain ?", answer: ["boulangerie.md", "40 minutes à 240 °C"] },
  { asked: "Quel jour la boutique est-elle fermée ?", answer: ["boulangerie.md", "fermée le lundi"] },
  { asked: "Que fait-on des croissants invendus ?", answer: ["boulangerie.md", "transformés le lendemain"] },
  {
    asked: "À quelle température la pâte doit-elle être après le pétrissage ?",
    answer: ["boulangerie.md", "La pâte doit atteindre 25 °C."]
  },
  { asked: "Quels produits contiennent des œufs ?", answer: ["boulangerie.md", "du lait et des œufs"] },
  { asked: "Comment prépare-t-on la pâte à pizza ?" },
  {
    asked: "¿Cuánto cuesta el abono de diez baños?",
    answer: ["reglamento.txt", "El abono de diez baños cuesta 34 euros"]
  },
  { asked: "¿Es obligatorio llevar gorro?", answer: ["reglamento.txt", "gorro de baño"] },
  { asked: "¿A qué hora abre la piscina los domingos?", answer: ["reglamento.txt", "los domingos de 9.00 a 14.00 h"] },
  { asked: "¿Se admiten perros en la cafetería?" }
]
