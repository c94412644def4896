import type { Receipt } from "@parley/client"
import { english } from "../../../messages/catalogue.ts"
import { useMessages } from "../../../messages/MessagesProvider.tsx"
import { useModelName } from "../../../messages/useModelName.ts"
import { LinesTable } from "./LinesTable.tsx"
import { receiptLines } from "./receiptLines.ts"

type EndKey = keyof typeof english & `usage.receipt.ended.${string}`
const isEndKey = (key: string): key is EndKey => Object.hasOwn(english, key)

const tokensOf = ({ usage }: NonNullable<Receipt["rewrite"]>): number =>
  usage.fresh_input + usage.cache_read + usage.cache_write + usage.output

/** The calculation of a reply's price, line by line. */
export const ReceiptTable = ({ receipt }: { readonly receipt: Receipt }) => {
  const { t } = useMessages()
  const modelName = useModelName()
  const { rewrite } = receipt
  const ended = `usage.receipt.ended.${receipt.ended}`
  const notes = [
    t("usage.receipt.minimum", { count: receipt.price.minimum_credits }),
    t("usage.receipt.held", { count: receipt.held }),
    ...(isEndKey(ended) ? [t(ended)] : []),
    ...(rewrite ? [t("chat.receipt.rewritten")] : []),
    ...(receipt.estimated || rewrite?.estimated ? [t("usage.receipt.estimated")] : [])
  ]
  const lines = receiptLines(receipt).map(({ kind, tokens, rate, credits }) => ({
    label: t(`usage.receipt.${kind}`),
    figures: [tokens, rate, credits] as const
  }))
  const rewritten = rewrite && {
    label: t("chat.receipt.rewrite", { model: modelName(rewrite.model) }),
    figures: [tokensOf(rewrite), undefined, rewrite.credits] as const
  }
  return (
    <LinesTable
      headings={[t("usage.receipt.tokens"), t("usage.receipt.rate", { unit: 1_000 })]}
      lines={rewritten ? [...lines, rewritten] : lines}
      maximumFractionDigits={3}
      charged={receipt.charged}
      notes={notes}
    />
  )
}
