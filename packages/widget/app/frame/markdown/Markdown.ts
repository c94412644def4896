/** What a text in markdown consists of. Nothing in it is markup: what is shown of it is decided where it is drawn. */

export type Inline =
  | { readonly type: "text" | "code"; readonly text: string }
  | { readonly type: "strong" | "emphasis" | "struck"; readonly parts: ReadonlyArray<Inline> }
  | { readonly type: "link"; readonly address: string; readonly parts: ReadonlyArray<Inline> }
  | { readonly type: "image"; readonly address: string; readonly text: string }
  /** `[1]` or `[1, 2]`: what it refers to, and how it was written. */
  | { readonly type: "citation"; readonly numbers: ReadonlyArray<number>; readonly text: string }
  | { readonly type: "break" }

export type Alignment = "start" | "center" | "end"

export type Block =
  | { readonly type: "paragraph"; readonly parts: ReadonlyArray<Inline> }
  | { readonly type: "heading"; readonly level: number; readonly parts: ReadonlyArray<Inline> }
  | { readonly type: "code"; readonly text: string }
  | { readonly type: "quote"; readonly blocks: ReadonlyArray<Block> }
  | {
      readonly type: "list"
      /** Where it counts from; undefined where it does not count. */
      readonly start: number | undefined
      readonly items: ReadonlyArray<ReadonlyArray<Block>>
    }
  | {
      readonly type: "table"
      readonly alignments: ReadonlyArray<Alignment>
      /** The first one is the head. */
      readonly rows: ReadonlyArray<ReadonlyArray<ReadonlyArray<Inline>>>
    }
  | { readonly type: "rule" }
