import { Effect } from "effect"
import { expect, it } from "vitest"
import { indexed, type PassageStores, search, textsOf } from "./passageIndexFixtures.ts"
import { newUserId } from "../../storage/storageFixtures.ts"
import type { Run } from "../../suiteOn.ts"

/**
 * The passages of one document in a language, and questions with other forms of their words: each question must find
 * the passage with the same number.
 */
interface LanguageCase {
  readonly texts: ReadonlyArray<string>
  readonly questions: ReadonlyArray<readonly [question: string, passage: number]>
}

const LANGUAGES: Readonly<Record<string, LanguageCase>> = {
  German: {
    texts: [
      "Der Mieter darf die Wohnung nur mit einer Erlaubnis des Vermieters an andere Personen weitergeben.",
      "Die Heizung wird im Oktober von einer Firma gewartet, und die Kosten sind in der Abrechnung enthalten.",
      "Für Haustiere, die nicht in einem Käfig leben, ist eine Zustimmung nötig, die man schriftlich einholt."
    ],
    questions: [
      ["Welche Erlaubnisse braucht man für Wohnungen?", 0],
      ["Wann sind Heizungen zu warten?", 1],
      ["Muss man ein Haustier melden?", 2]
    ]
  },
  French: {
    texts: [
      "Le contrat est résilié par une lettre que le locataire envoie trois mois avant la fin du bail.",
      "Les travaux de peinture sont à la charge du propriétaire, sauf si les dégâts ont été causés par un enfant.",
      "La cave et le garage ne font pas partie de la maison, et leur loyer est payé avec les charges."
    ],
    questions: [
      ["Comment faut-il envoyer les lettres pour les contrats ?", 0],
      ["Qui paie le travail de peinture des propriétaires ?", 1],
      ["les garages et les caves", 2],
      ["degats causes par des enfants", 1]
    ]
  },
  Spanish: {
    texts: [
      "El seguro cubre los daños que el agua causa en la cocina, pero no los de una inundación.",
      "La reparación del ascensor se paga entre todos los vecinos, según el tamaño de su vivienda.",
      "Las bicicletas se guardan en el patio, y las llaves se piden en la portería del edificio."
    ],
    questions: [
      ["¿Qué seguros hay para un daño en las cocinas?", 0],
      ["reparaciones de los ascensores", 1],
      ["¿Dónde se guarda una bicicleta?", 2]
    ]
  },
  Russian: {
    texts: [
      "Договор на аренду квартиры подписывают обе стороны, и он вступает в силу с первого дня месяца.",
      "Самолёт не может взлететь при сильном ветре, если скорость на полосе меньше той, что указана в таблице.",
      "Для библиотеки нужны новые книги, и их список составляет учитель вместе с директором школы."
    ],
    questions: [
      ["Кто подписывает договоры об аренде квартир?", 0],
      ["скорость самолетов при ветре", 1],
      ["список книг для библиотек", 2]
    ]
  },
  Japanese: {
    texts: [
      "契約は三か月前に書面で解約することができます。",
      "暖房の点検は毎年十月に業者が行い、費用は管理費に含まれます。",
      "自転車は建物の裏の駐輪場に置いてください。"
    ],
    questions: [
      ["契約の解約はどうすればいいですか", 0],
      ["暖房はいつ点検しますか", 1],
      ["駐輪場はどこですか", 2]
    ]
  },
  Chinese: {
    texts: [
      "租户须提前三个月以书面形式解除合同。",
      "供暖系统每年十月由专业公司检修，费用计入管理费。",
      "自行车请停放在楼后的车棚里。"
    ],
    questions: [
      ["怎样解除合同？", 0],
      ["供暖系统什么时候检修？", 1],
      ["自行车停在哪里？", 2]
    ]
  },
  Arabic: {
    texts: [
      "يمكن للمستأجر أن ينهي العقد بعد ثلاثة أشهر من إرسال رسالة مكتوبة إلى المالك.",
      "تقوم الشركة بفحص التدفئة في شهر أكتوبر من كل سنة، وتدخل التكلفة في الحساب.",
      "توضع الدراجات خلف المبنى، ولا يسمح بوضعها على السلم."
    ],
    questions: [
      ["كيف أنهي عقد المستأجر؟", 0],
      ["متى فحص تدفئة؟", 1],
      ["أين توضع دراجات؟", 2]
    ]
  },
  Finnish: {
    texts: [
      "Vuokralainen voi irtisanoa sopimuksen kirjeellä, jos se on lähetetty kolme kuukautta ennen muuttoa.",
      "Talon lämmitys huolletaan lokakuussa, ja siitä tulee lasku, joka on maksettava kahden viikon kuluessa.",
      "Polkupyörät ovat pihalla, eikä niitä saa tuoda porraskäytävään tai asuntoon."
    ],
    questions: [
      ["irtisanoa sopimukset kirjeet", 0],
      ["talot ja niiden laskut", 1],
      ["polkupyörä pihalle", 2]
    ]
  },
  Turkish: {
    texts: [
      "Kiracı sözleşmeyi üç ay önce yazılı olarak bildirmek için bir mektup gönderir ve bu mektup saklanır.",
      "Asansörün bakımı her yıl ekim ayında yapılır, ama bunun için para istenmez.",
      "Bisikletler bahçede durur ve evlerin önüne konmaz, çünkü yol dar ve çok kalabalık."
    ],
    questions: [
      ["mektuplar ne zaman gönderilir", 0],
      ["asansör kaç yılda bir bakım ister", 1],
      ["bisiklet nerede durur", 2]
    ]
  },
  English: {
    texts: [
      "The tenant may end the contract by a letter that is sent three months before the move.",
      "The heating is checked in October by a company, and the cost of it is in the yearly bill.",
      "Bicycles are kept in the yard behind the building and not on the stairs."
    ],
    questions: [
      ["how to end contracts with letters", 0],
      ["who pays the costs of heating?", 1],
      ["bicycle", 2]
    ]
  }
}

/**
 * For each language, a beginning of a text that identifies the language, and words whose endings a stemmer recognises
 * by their accents.
 */
const ACCENTED: Readonly<Record<string, readonly [beginning: string, words: string]>> = {
  Spanish: [
    "El contrato se firma en la casa de la empresa, y los vecinos que no quieren lo dicen por carta.",
    "reparación jardín tradición volvería económico artículos inglés café comerás situación"
  ],
  Portuguese: [
    "O contrato não é assinado na casa da empresa, mas os vizinhos que não querem dizem por carta para ela.",
    "reparação opção coleção política vitória condições próximos português irmã"
  ],
  French: [
    "Le contrat est signé dans la maison de la société, et les voisins qui ne veulent pas le disent par lettre.",
    "résilié propriété généralité première sévérité élève théâtre forêt dégâts cœur œuvre"
  ],
  Italian: [
    "Il contratto non è firmato nella casa della ditta, ma i vicini che non vogliono lo dicono per lettera.",
    "proprietà qualità possibilità libertà città"
  ],
  German: [
    "Der Vertrag wird nicht in dem Haus der Firma unterschrieben, und die Nachbarn sagen es mit einem Brief.",
    "Häuser Kündigung Möbel Schlüssel gehört Straßenbäume"
  ],
  Turkish: [
    "Kiracı ile ev sahibi bu sözleşmeyi yazılı olarak yapar ve bir mektup gönderir, ama bunun için para istenmez.",
    "ışık ağaç öğrenci çatı sığınak"
  ],
  Polish: [
    "Umowa jest podpisana przez obie strony i nie ma innych warunków, ale można ją wypowiedzieć listem.",
    "złoty płatność łóżko łazienka główny"
  ],
  Danish: [
    "Aftalen er skrevet under i huset, og naboerne som ikke vil være med siger det til os med et brev.",
    "høring lejemål ægteskab køkken forsøg"
  ],
  Croatian: ["Ugovor se potpisuje u kući tvrtke.", "đak anđeo međa"],
  Swedish: [
    "Avtalet skrivs inte på i huset som är företagets, och grannarna säger det till oss med ett brev.",
    "lägenhet uppsägning hyresgäst räkningar fönster"
  ]
}

const TYPED: Readonly<Record<string, string>> = { ß: "ss", æ: "ae", œ: "oe", ø: "o", đ: "d", ł: "l", ı: "i" }

/** Returns a word as many people type it: without accents. */
const typedPlain = (word: string): string =>
  word
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/gu, "")
    .replace(/[ßæœøđłı]/gu, (letter) => TYPED[letter] ?? letter)

/**
 * Questions that are typed without accents, for texts with the beginnings in `ACCENTED`, each with the other form of
 * the word that it must find.
 */
const INFLECTED: Readonly<Record<string, ReadonlyArray<readonly [question: string, word: string]>>> = {
  Spanish: [
    ["reparacion", "reparaciones"],
    ["habitacion", "habitaciones"],
    ["jardin", "jardines"],
    ["vehiculo", "vehículos"]
  ],
  Portuguese: [
    ["reparacao", "reparações"],
    ["reparacoes", "reparação"],
    ["educacao", "educações"],
    ["agua", "águas"]
  ],
  French: [
    ["employees", "employée"],
    ["annee", "années"],
    ["coeur", "cœurs"],
    ["oeuvre", "œuvres"]
  ],
  German: [
    ["kundigung", "kündigungen"],
    ["strasse", "straßen"],
    ["gebuhr", "gebühren"]
  ],
  Swedish: [
    ["rakning", "räkningar"],
    ["uppsagning", "uppsägningen"]
  ],
  Italian: [
    ["qualita", "qualità"],
    ["citta", "città"]
  ],
  Turkish: [
    ["balik", "balıklarında"],
    ["kitapligi", "kitaplığı"]
  ],
  Polish: [["zloty", "złoty"]]
}

/** Tests that a `PassageIndex` finds words in other forms than those in a text, by the text's language. */
export const languages = (run: Run<PassageStores>) => {
  it("naming a document in another language as well changes no score", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const english = yield* indexed(userId, ["the lift of wings", "the drag of wings and of bodies that are long"])
        const japanese = yield* indexed(userId, [
          "図書館は月曜日に閉まりますが、火曜日から日曜日までは朝九時に開きます。"
        ])
        const scoresOf = (documentIds: ReadonlyArray<string>) =>
          Effect.map(search({ userId, documentIds, query: "wings of bodies" }), (found) =>
            found.map(({ score }) => score)
          )
        const alone = yield* scoresOf([english])
        expect(alone).toHaveLength(2)
        expect(yield* scoresOf([english, japanese])).toEqual(alone)
      })
    ))

  it("a text that shows no language has that of most of the owner's other documents", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const found = (documentId: string) => textsOf({ userId, documentIds: [documentId], query: "Felge" })
        expect(yield* found(yield* indexed(userId, ["Reifen Felgen"]))).toEqual([])
        for (let count = 0; count < 2; count++) yield* indexed(userId, ["Die Garantie gilt zwei Jahre ab dem Kauf."])
        expect(yield* found(yield* indexed(userId, ["Reifen Felgen"]))).toEqual(["Reifen Felgen"])
        expect(yield* found(yield* indexed(newUserId(), ["Reifen Felgen"]))).toEqual([])
      })
    ))

  it.each(Object.entries(LANGUAGES))("words are found in other forms: %s", (_, { questions, texts }) =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const documentIds = [yield* indexed(userId, texts)]
        for (const [query, passage] of questions) {
          expect([query, (yield* textsOf({ userId, documentIds, query }))[0]]).toEqual([query, texts[passage]])
        }
      })
    )
  )

  it("a question finds what answers it among documents of all languages at once", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const all = Object.values(LANGUAGES)
        const documentIds = yield* Effect.forEach(all, ({ texts }) => indexed(userId, texts))
        for (const { questions, texts } of all) {
          for (const [query, passage] of questions) {
            expect([query, (yield* textsOf({ userId, documentIds, query }))[0]]).toEqual([query, texts[passage]])
          }
        }
      })
    ))

  it.each(Object.entries(ACCENTED))(
    "a word is found by itself typed without its accents, and the other way round: %s",
    (_, [beginning, list]) =>
      run(
        Effect.gen(function* () {
          const userId = newUserId()
          const words = list.split(" ")
          const written = [yield* indexed(userId, [beginning, ...words])]
          const typed = [yield* indexed(userId, [beginning, ...words.map(typedPlain)])]
          for (const [place, word] of words.entries()) {
            for (const documentIds of [written, typed]) {
              for (const query of [word, typedPlain(word)]) {
                const [best] = yield* search({ userId, documentIds, query })
                expect([query, best?.ordinal]).toEqual([query, place + 1])
              }
            }
          }
        })
      )
  )

  it.each(Object.entries(INFLECTED))("a word typed without accents finds its other forms: %s", (language, pairs) =>
    run(
      Effect.gen(function* () {
        const [beginning] = ACCENTED[language]!
        const userId = newUserId()
        const documentIds = [yield* indexed(userId, [beginning, ...pairs.map(([, word]) => word)])]
        for (const [place, [query]] of pairs.entries()) {
          const found = yield* search({ userId, documentIds, query })
          expect(
            found.map(({ ordinal }) => ordinal),
            query
          ).toContain(place + 1)
        }
      })
    )
  )

  it("an accented word counts once, however it and the question are typed", () =>
    run(
      Effect.gen(function* () {
        const [beginning] = ACCENTED["Spanish"]!
        const scores: Array<number | undefined> = []
        for (const [word, query] of [
          ["reparación", "reparación"],
          ["reparación", "reparacion"],
          ["reparacion", "reparación"],
          ["reparacion", "reparacion"]
        ] as const) {
          const userId = newUserId()
          const documentIds = [yield* indexed(userId, [beginning, `${beginning} ${word}.`])]
          scores.push((yield* search({ userId, documentIds, query }))[0]?.score)
        }
        for (const score of scores) expect(score).toBeCloseTo(scores[0] ?? 0, 9)
      })
    ))

  it("accents may be left out of a question, and of a text", () =>
    run(
      Effect.gen(function* () {
        const userId = newUserId()
        const texts = ["the café near the park", "a naive question of the other kind", "words and other things"]
        const documentIds = [yield* indexed(userId, texts)]
        expect(yield* textsOf({ userId, documentIds, query: "cafe" })).toEqual([texts[0]])
        expect(yield* textsOf({ userId, documentIds, query: "naïve" })).toEqual([texts[1]])
      })
    ))
}
