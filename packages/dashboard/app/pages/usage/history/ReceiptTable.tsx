import type { Receipt } from "@parley/client"
import { english } from "../../../messages/catalogue.ts"
import { useMessages } from "../../../messages/MessagesProvider.tsx"
import { LinesTable } from "./LinesTable.tsx"
import { receiptLines } from "./receiptLines.ts"

type EndKey = keyof typeof english & `usage.receipt.ended.${string}`
const isEndKey = (key: string): key is EndKey => Object.hasOwn(english, key)

/** The calculation of a reply's price, line by line. */
export const ReceiptTable = ({ receipt }: { readonly receipt: Receipt }) => {
  const { t } = useMessages()
  const ended = `usage.receipt.ended.${receipt.ended}`
  const notes = [
    t("usage.receipt.minimum", { count: receipt.price.minimum_credits }),
    t("usage.receipt.held", { count: receipt.held }),
    ...(isEndKey(ended) ? [t(ended)] : []),
    ...(receipt.estimated ? [t("usage.receipt.estimated")] : [])
  ]
  return (
    <LinesTable
      headings={[t("usage.receipt.tokens"), t("usage.receipt.rate", { unit: 1_000 })]}
      lines={receiptLines(receipt).map(({ kind, tokens, rate, credits }) => ({
        label: t(`usage.receipt.${kind}`),
        figures: [tokens, rate, credits]
      }))}
      maximumFractionDigits={3}
      charged={receipt.charged}
      notes={notes}
    />
  )
}
