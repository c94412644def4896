import type { WorkReceipt } from "@parley/client"
import { useMessages } from "../../../messages/MessagesProvider.tsx"
import { LinesTable } from "./LinesTable.tsx"

/** The calculation of the price of metered work, line by line. */
export const WorkReceiptTable = ({ receipt }: { readonly receipt: WorkReceipt }) => {
  const { t } = useMessages()
  const notes = [
    t("usage.receipt.held", { count: receipt.held }),
    ...(receipt.charged_before > 0 ? [t("usage.receipt.chargedBefore", { count: receipt.charged_before })] : []),
    ...(receipt.ended === "expired" ? [t("usage.receipt.ended.work")] : [])
  ]
  return (
    <LinesTable
      headings={[t("usage.receipt.quantity"), t("usage.receipt.unitPrice")]}
      lines={receipt.lines.map(({ label, quantity, unit_price: price }) => ({
        label,
        figures: [quantity, price, quantity * price]
      }))}
      maximumFractionDigits={6}
      charged={receipt.charged}
      notes={notes}
    />
  )
}
