import type { Person } from "@parley/client"
import { Button, Checkbox, Group, Modal, NativeSelect, NumberInput, Stack, Text, TextInput } from "@mantine/core"
import { usePlans } from "@parley/react"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type FormEvent, useState } from "react"
import { actOn, ADMIN } from "../../../api/admin.ts"
import { useAdminMessages } from "../useAdminMessages.ts"
import { FreshSignInNotice } from "../../../shell/FreshSignInNotice.tsx"
import { type ActionFields, type ActionKind, actionOf, isComplete } from "./personAction.ts"

export type { ActionKind } from "./personAction.ts"

const MAX_REASON = 500

export interface ActionDialogProps {
  readonly person: Person
  readonly kind: ActionKind
  readonly onClose: () => void
  readonly onDone: () => void
}

/** The fields of the form, and the request that they make. */
const useAction = ({ kind, onDone, person }: ActionDialogProps) => {
  const client = useQueryClient()
  const [fields, setFields] = useState<ActionFields>(() => ({
    reason: "",
    amount: undefined,
    tier: person.account?.tier ?? "",
    isPinned: person.account?.pinned ?? false,
    // The key stays the same for each try of this dialog, so that a repeated try moves the credits only once.
    key: `dashboard:${crypto.randomUUID()}`
  }))
  const action = useMutation({
    mutationFn: () => actOn(person.userId, actionOf(kind, fields)),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ADMIN })
      onDone()
    }
  })
  const change = (changes: Partial<ActionFields>) => setFields({ ...fields, ...changes })
  return { fields, change, action, isReady: isComplete(kind, fields) }
}

/** The dialog that asks for the details and the reason of an action, and performs it. */
export const ActionDialog = (props: ActionDialogProps) => {
  const { kind, onClose, person } = props
  const { t } = useAdminMessages()
  const { action, change, fields, isReady } = useAction(props)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isReady) action.mutate()
  }
  return (
    <Modal
      opened
      onClose={onClose}
      title={t(`admin.action.${kind}`)}
      closeButtonProps={{ "aria-label": t("action.close") }}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <Text size="sm">{t(`admin.action.${kind}.text`, { person: person.userId })}</Text>
          {(kind === "grant" || kind === "adjust") && <AmountField kind={kind} fields={fields} onChange={change} />}
          {kind === "tier" && <TierFields fields={fields} onChange={change} />}
          <TextInput
            label={t("admin.reason")}
            description={t("admin.reason.text")}
            required
            maxLength={MAX_REASON}
            value={fields.reason}
            onChange={({ currentTarget }) => change({ reason: currentTarget.value })}
          />
          {action.error !== null && <FreshSignInNotice error={action.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {t("action.cancel")}
            </Button>
            <Button
              type="submit"
              {...(kind === "block" ? { color: "red.8" } : {})}
              loading={action.isPending}
              disabled={!isReady}
            >
              {t(`admin.action.${kind}`)}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

interface FieldProps {
  readonly fields: ActionFields
  readonly onChange: (changes: Partial<ActionFields>) => void
}

const AmountField = ({ fields, kind, onChange }: FieldProps & { readonly kind: "grant" | "adjust" }) => {
  const { t, separators } = useAdminMessages()
  return (
    <NumberInput
      label={t("admin.amount")}
      {...(kind === "adjust" ? { description: t("admin.amount.signed") } : {})}
      required
      allowDecimal={false}
      allowNegative={kind === "adjust"}
      {...(kind === "grant" ? { min: 1 } : {})}
      max={1_000_000_000}
      thousandSeparator={separators.thousands}
      decimalSeparator={separators.decimal}
      value={fields.amount ?? ""}
      onChange={(value) => onChange({ amount: value === "" || value === "-" ? undefined : Number(value) })}
    />
  )
}

const TierFields = ({ fields, onChange }: FieldProps) => {
  const { t } = useAdminMessages()
  const { plans: offers } = usePlans()
  const tiers = offers?.plans.map(({ id, name }) => ({ value: id, label: name })) ?? []
  return (
    <>
      <NativeSelect
        label={t("admin.tier")}
        required
        value={fields.tier}
        onChange={({ currentTarget }) => onChange({ tier: currentTarget.value })}
        data={
          tiers.some(({ value }) => value === fields.tier)
            ? tiers
            : [{ value: fields.tier, label: fields.tier }, ...tiers]
        }
      />
      <Checkbox
        label={t("admin.tier.pin")}
        description={t("admin.tier.pin.text")}
        checked={fields.isPinned}
        onChange={({ currentTarget }) => onChange({ isPinned: currentTarget.checked })}
      />
    </>
  )
}
