/** The parts of a parsed markdown text. None of them contains HTML; the renderer decides how to show them. */

export type Inline =
  | { readonly type: "text" | "code"; readonly text: string }
  | { readonly type: "strong" | "emphasis" | "struck"; readonly parts: ReadonlyArray<Inline> }
  | { readonly type: "link"; readonly address: string; readonly parts: ReadonlyArray<Inline> }
  | { readonly type: "image"; readonly address: string; readonly text: string }
  /** A citation such as `[1]` or `[1, 2]`: its numbers, and the text as written. */
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
      /** The number of the first item; undefined for a list without numbers. */
      readonly start: number | undefined
      readonly items: ReadonlyArray<ReadonlyArray<Block>>
    }
  | {
      readonly type: "table"
      readonly alignments: ReadonlyArray<Alignment>
      /** The rows of the table. The first one is the heading. */
      readonly rows: ReadonlyArray<ReadonlyArray<ReadonlyArray<Inline>>>
    }
  | { readonly type: "rule" }
