import fc from "fast-check"

/** Something that happens in a shop. `nth` chooses among the things that there are. */
export type ShopAct =
  | {
      readonly _tag: "subscribe"
      readonly who: number
      readonly price: string
      readonly how: "card" | "trial" | "free"
    }
  | {
      readonly _tag: "buy"
      readonly who: number
      readonly price: string
      readonly how: "card" | "later" | "later-fails" | "free" | "link"
      readonly quantity: number
    }
  | { readonly _tag: "change"; readonly nth: number; readonly price: string }
  | { readonly _tag: "cancel"; readonly nth: number; readonly when: "period-end" | "now" }
  | { readonly _tag: "resume"; readonly nth: number }
  | { readonly _tag: "payInvoice"; readonly nth: number }
  | { readonly _tag: "dispute"; readonly nth: number }
  | { readonly _tag: "card"; readonly nth: number; readonly card: "works" | "fails" }
  | { readonly _tag: "refund"; readonly nth: number; readonly part: number }
  | { readonly _tag: "decide"; readonly nth: number; readonly outcome: "won" | "lost" }
  | { readonly _tag: "wait"; readonly days: number }
  | { readonly _tag: "spend"; readonly who: number; readonly part: number }
  | { readonly _tag: "takeBack"; readonly who: number; readonly part: number }
  | { readonly _tag: "pin"; readonly who: number; readonly tier: string }
  | { readonly _tag: "unpin"; readonly who: number }
  | { readonly _tag: "erase"; readonly who: number }
  | { readonly _tag: "deliver"; readonly isReversed: boolean }

/** The number of buyers in one history. */
export const PEOPLE = 3

const PLANS = ["price_pro", "price_business", "price_pro_year"]
const who = fc.nat(PEOPLE - 1)
const nth = fc.nat(20)
const part = fc.constantFrom(1, 0.5, 0.25)
const tag = <Tag extends ShopAct["_tag"]>(name: Tag) => fc.constant(name)

const weighted = (weight: number, arbitrary: fc.Arbitrary<ShopAct>) => ({ weight, arbitrary })

/** One random act. */
export const shopAct: fc.Arbitrary<ShopAct> = fc.oneof(
  weighted(
    5,
    fc.record({
      _tag: tag("subscribe"),
      who,
      price: fc.constantFrom(...PLANS),
      how: fc.constantFrom("card", "card", "trial", "free")
    })
  ),
  weighted(
    5,
    fc.record({
      _tag: tag("buy"),
      who,
      price: fc.constantFrom("price_credits", "price_credits_small"),
      how: fc.constantFrom("card", "card", "card", "later", "later-fails", "free", "link"),
      quantity: fc.integer({ min: 1, max: 3 })
    })
  ),
  weighted(3, fc.record({ _tag: tag("change"), nth, price: fc.constantFrom(...PLANS) })),
  weighted(2, fc.record({ _tag: tag("cancel"), nth, when: fc.constantFrom("period-end", "now") })),
  weighted(1, fc.record({ _tag: tag("resume"), nth })),
  weighted(1, fc.record({ _tag: tag("payInvoice"), nth })),
  weighted(2, fc.record({ _tag: tag("card"), nth, card: fc.constantFrom("works", "fails") })),
  weighted(4, fc.record({ _tag: tag("wait"), days: fc.constantFrom(1, 4, 12, 31, 62) })),
  weighted(3, fc.record({ _tag: tag("refund"), nth, part })),
  weighted(2, fc.record({ _tag: tag("dispute"), nth })),
  weighted(2, fc.record({ _tag: tag("decide"), nth, outcome: fc.constantFrom("won", "lost") })),
  weighted(3, fc.record({ _tag: tag("spend"), who, part })),
  weighted(1, fc.record({ _tag: tag("takeBack"), who, part })),
  weighted(1, fc.record({ _tag: tag("pin"), who, tier: fc.constantFrom("free", "pro", "business") })),
  weighted(1, fc.record({ _tag: tag("unpin"), who })),
  weighted(1, fc.record({ _tag: tag("erase"), who })),
  weighted(4, fc.record({ _tag: tag("deliver"), isReversed: fc.boolean() }))
)
