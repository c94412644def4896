import { Button } from "@mantine/core"
import { useAdminMessages } from "./useAdminMessages.ts"
import classes from "./Admin.module.css"

export interface MoreButtonProps {
  readonly hasNextPage: boolean
  readonly isFetchingNextPage: boolean
  readonly fetchNextPage: () => Promise<unknown>
}

/** A button that loads the next page of a list, if there is one. */
export const MoreButton = ({ fetchNextPage, hasNextPage, isFetchingNextPage }: MoreButtonProps) => {
  const { t } = useAdminMessages()
  if (!hasNextPage) return null
  return (
    <div className={classes.more}>
      <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {t("action.showMore")}
      </Button>
    </div>
  )
}
